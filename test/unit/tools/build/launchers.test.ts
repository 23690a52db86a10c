/** Launchers of a build against our own launches: the drivers are told the same, byte for byte. */
import { copyFileSync, cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { BuildManifest } from "warpsmith/build";
import { matmulKernel } from "warpsmith/kernels";
import { loadBuilt } from "warpsmith/runtime";
import { TMA } from "../../../../src/index.ts";
import { amount, rotating, seeds, some } from "../../../support/amount.ts";
import type { FakeDriver } from "../../cuda/fake-driver.ts";
import { openFake } from "../../cuda/open-fake.ts";
import { copyRows, everything, numbers, scale, windows } from "./kernels.ts";
import { cppProgram, type Places, preparedProgram, pythonProgram } from "./programs.ts";
import { CDriver, compilers, type Line, linesOf, sorted, succeed } from "./record.ts";

const folder = mkdtempSync(join(tmpdir(), "launchers-"));
afterAll(() => rmSync(folder, { recursive: true }));
const built = join(folder, "built");
const { manifest } = everything.write(built, { cubin: false });

const sizes = (of: BuildManifest) =>
  Object.fromEntries(Object.values(of.kernels).map(({ entry, slots }) => [entry, { parameterBytes: slots.map((s) => s.bytes) }]));

/** The tensors of the launches, on a device over a driver of JavaScript. */
async function fakeDevice() {
  const { device, fake, stream } = await openFake({ kernels: sizes(manifest) });
  const tensors = {
    x: device.empty("f32", [777]),
    y: device.empty("f32", [777]),
    numbers: device.empty("f32", [4, 40]).slice(undefined, [0, 24]),
    rows: device.empty("f32", [45, 36]).slice(undefined, [0, 32]),
    copy: device.empty("f32", [45, 32]),
    image: device.empty("f16", [2, 8, 8, 64]),
    out: device.empty("i32", [3]),
    a: device.empty("f16", [128, 64]),
    b: device.empty("f16", [64, 128]),
    d: device.empty("f16", [128, 128]),
  };
  const places = Object.fromEntries(Object.entries(tensors).map(([name, t]) => [name, String(t.address())])) as Places;
  return { device, fake, stream, tensors, places };
}
type Fake = Awaited<ReturnType<typeof fakeDevice>>;

/** Launchers are given the default stream, whose handle is 0. */
const linesFrom = (fake: FakeDriver, stream: bigint): readonly Line[] =>
  linesOf(fake).map((line) => (line.stream === Number(stream) ? { ...line, stream: 0 } : line));

const huge = 2n ** 64n - 1n;

/** `kernel.launch`, as it is without a build. */
async function ownLines(): Promise<{ readonly places: Places; readonly lines: readonly Line[] }> {
  const { fake, stream, tensors: t, places }: Fake = await fakeDevice();
  scale.launch({}, t.x, t.y, 2.5);
  numbers.launch({}, t.numbers, -9, 0.1, 1.00390625, 0.1, -3, 65535, -5n, huge, true);
  copyRows.launch({ grid: 6, overlapPrevious: true }, new TMA(t.rows, { box: [8, 32] }), t.copy);
  const corners = { lower: [-1, -1], upper: [-1, -1], channels: 64, pixels: 32, swizzle: "128B", oobFill: "nan" } as const;
  windows.launch({ grid: 3 }, TMA.im2col(t.image, corners), t.out);
  const { kernel, args } = matmulKernel(t.a, t.b, { out: t.d, alpha: 1.5, beta: 0 });
  kernel.launch({}, ...args);
  return { places, lines: linesFrom(fake, stream) };
}
const own = await ownLines();

/** What both launchers say of the mistakes. */
const mistakes = `type: W7735  scale: the type of 'x' is i32, and the kernel was built for f32
rank: W7735  scale: the shape of 'x' is [8, 8], and the kernel was built for [?]
shape: W7735  numbers: the shape of 'x' is [5, 24], and the kernel was built for [4, ?]
empty: W7735  scale: the shape of 'x' is [0], and the kernel was built for [?]
strides: W7735  scale: the strides of 'x' are [2], and the kernel was built for [1]
alignment: W7735  scale: the address of 'x' is 0x104, and the kernel was built for a multiple of 32
null: W7735  scale: the address of 'x' is 0x0, and the kernel was built for a multiple of 32
rows: W7735  copyRows: the strides of 'x' are [33, 1], and the kernel was built for rows that begin at multiples of 16 bytes
no grid: W7737  copyRows has no grid: how many blocks it takes is not in its manifest; give HERE
grid: W7737  copyRows: the grid [3, 1, 1] cannot be launched, with clusters of [2, 1, 1]
overlap: W7518  scale never waits for the kernel before it: overlap_previous would let it run ahead
`;

/** A copy of the build with something wrong in it. */
function spoiled(name: string, spoil: (at: string) => void): string {
  const at = join(folder, name);
  cpSync(built, at, { recursive: true });
  spoil(at);
  return at;
}
const replaceIn = (file: string, from: string, to: string) => (at: string) =>
  writeFileSync(join(at, file), readFileSync(join(at, file), "utf8").replace(from, to));

/** Wrong folders, and what launchers say, the folder being `@`. */
const wrongFolders: readonly (readonly [name: string, spoil: (at: string) => void, says: string])[] = [
  ["no-manifest", (at) => rmSync(join(at, "manifest.json")), "W7730  The manifest @/manifest.json cannot be used: "],
  [
    "not-ours",
    (at) => writeFileSync(join(at, "manifest.json"), "{}"),
    "W7730  The manifest @/manifest.json cannot be used: it is not of a build",
  ],
  [
    "version",
    replaceIn("manifest.json", '"version": 1', '"version": 99'),
    "W7730  The manifest @/manifest.json cannot be used: it has version 99, and version 1 is read here",
  ],
  [
    "other",
    replaceIn("manifest.json", '"id": "', '"id": "0'),
    "W7734  The manifest @/manifest.json is of another build than the launcher that reads it",
  ],
  ["missing", (at) => rmSync(join(at, "numbers.ptx")), "W7731  The file @/numbers.ptx of the build cannot be read: "],
  [
    "changed",
    replaceIn("gemm.ptx", "\n", "\n\n"),
    "W7732  The file @/gemm.ptx is not the one that was built: its hash is not the manifest's",
  ],
];
const folders = wrongFolders.map(([name, spoil, says]) => {
  const at = spoiled(name, spoil);
  return { at, says: says.replace("@", at) };
});

describe("the launcher for Node", () => {
  it("tells the driver what kernel.launch does", async () => {
    const { fake, stream, tensors: t, places } = await fakeDevice();
    expect(places).toEqual(own.places);
    const { kernels } = loadBuilt(built);
    kernels.scale?.launch({}, t.x, t.y, 2.5);
    kernels.numbers?.launch({}, t.numbers, -9, 0.1, 1.00390625, 0.1, -3, 65535, -5n, huge, true);
    kernels.copyRows?.launch({ grid: 6, overlapPrevious: true }, t.rows, t.copy);
    kernels.windows?.launch({ grid: 3 }, t.image, t.out);
    kernels.gemm?.launch({}, t.a, t.b, t.d, 1.5);
    expect(linesFrom(fake, stream)).toEqual(own.lines);
  });

  it("refuses folders with something wrong in them", () => {
    for (const { at, says } of folders) expect(() => loadBuilt(at, { id: manifest.id })).toThrow(says);
  });

  it("refuses what a kernel was not built for", async () => {
    const { device, tensors: t } = await fakeDevice();
    const { scale: built1, numbers: built2, copyRows: built3 } = loadBuilt(built).kernels;
    const f = (...shape: number[]) => device.empty("f32", shape);
    const refused = (run: () => void) => {
      try {
        run();
        return "nothing";
      } catch (error) {
        return (error as Error).message.split("\n")[0]?.replace(/0x[0-9a-f]+/, "0x…");
      }
    };
    const said = {
      type: refused(() => built1?.launch({}, device.empty("i32", [8]), f(8), 1)),
      rank: refused(() => built1?.launch({}, f(8, 8), f(8), 1)),
      shape: refused(() => built2?.launch({}, f(5, 24), 1, 1, 1, 1, 1, 1, 1, 1, true)),
      strides: refused(() =>
        built1?.launch({}, f(8, 2).slice(undefined, [0, 1]).transpose().slice([0, 1]).transpose().reshape(8), f(8), 1),
      ),
      alignment: refused(() => built1?.launch({}, f(16).slice([1, 9]), f(8), 1)),
      rows: refused(() => built3?.launch({ grid: 2 }, f(45, 33).slice(undefined, [0, 32]), t.copy)),
      grid: refused(() => built3?.launch({}, t.rows, t.copy)),
      overlap: refused(() => built1?.launch({ overlapPrevious: true }, f(8), f(8), 1)),
      count: refused(() => built1?.launch({}, f(8), f(8))),
      kind: refused(() => built1?.launch({}, 7, f(8), 1)),
      number: refused(() => built2?.launch({}, f(4, 24), 2 ** 31, 1, 1, 1, 1, 1, 1, 1, true)),
    };
    expect(said).toMatchSnapshot();
  });

  it("takes the cubin, and the PTX where the driver does not", async () => {
    if (!existsSync("/proc") || Object.values(cubins.kernels).some(({ cubin }) => !cubin)) return;
    const { device, fake } = await fakeDevice();
    const x = device.empty("f32", [8]);
    fake.refuse.set("cuModuleLoadDataEx", [200]);
    loadBuilt(withCubins).kernels.scale?.launch({}, x, x, 1);
    const loads = fake.calls.filter(({ name }) => name === "cuModuleLoadDataEx");
    expect(loads.map(({ args }) => (args[1] as Uint8Array)[0])).toEqual([0x7f, 0x2e]);
  });
});

const withCubins = join(folder, "cubins");
const { manifest: cubins } = everything.write(withCubins);
const hasCubins = Object.values(cubins.kernels).every(({ cubin }) => cubin !== null);

describe.runIf(compilers.cpp)("the header for C++", () => {
  let driver: CDriver;
  const source = join(folder, "main.cpp");
  const program = join(folder, "main");
  const compile = (from: string, to: string, text: string) => {
    writeFileSync(source, text);
    const strict = ["-std=c++17", "-Wall", "-Wextra", "-Werror", "-pedantic", "-O0"];
    succeed("g++", [...strict, "-I", from, "-o", to, source, "-ldl"]);
  };

  beforeAll(() => {
    driver = new CDriver(folder);
    compile(built, program, cppProgram(own.places));
  });

  it("tells the driver what kernel.launch does, and refuses what a kernel was not built for", rotating, () => {
    const { out, lines } = driver.run(program, [built], manifest);
    expect(out).toBe(mistakes.replace("HERE", "Launch::grid"));
    expect(sorted(lines)).toEqual(sorted(own.lines));
  });

  it("refuses folders with something wrong in them, other devices and older drivers", rotating, () => {
    for (const { at, says } of folders) expect(driver.run(program, [at], manifest).out).toContain(says);
    const with_ = (env: Readonly<Record<string, string>>) => driver.run(program, [built], manifest, env).out;
    expect(with_({ FAKE_CUDA_CAPABILITY: "10.0" })).toBe(otherDevice);
    expect(with_({ FAKE_CUDA_VERSION: "11080" })).toBe(olderDriver);
    expect(with_({ FAKE_CUDA_REFUSE: "cuModuleLoadDataEx:218" })).toBe(
      "scale: the driver refuses its code: 218 line 7: no such thing\n",
    );
    expect(with_({ FAKE_CUDA_REFUSE: "cuLaunchKernel:701" })).toBe(
      "the driver refuses cuLaunchKernel: 701 (CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES)\n",
    );
  });

  it.runIf(hasCubins)("takes the cubins, and the PTX where the driver does not", rotating, () => {
    const at = join(folder, "main-cubins");
    compile(withCubins, at, cppProgram(own.places));
    const kinds = (env = {}) =>
      driver
        .run(at, [withCubins], cubins, env)
        .lines.filter(({ call }) => call === "load")
        .map(({ kind }) => kind);
    expect(new Set(kinds())).toEqual(new Set(["cubin"]));
    expect(new Set(kinds({ FAKE_CUDA_NO_CUBIN: "1" }))).toEqual(new Set(["ptx"]));
  });

  const cudaHeader = ["/usr/local/cuda/include", "/usr/local/cuda-13.0/include"].find((at) => existsSync(join(at, "cuda.h")));
  it.runIf(cudaHeader)("stands beside cuda.h, and has its numbers", rotating, () => {
    writeFileSync(source, besideCuda);
    succeed("g++", [
      "-std=c++17",
      "-Wall",
      "-Wextra",
      "-Werror",
      "-fsyntax-only",
      "-I",
      built,
      "-isystem",
      String(cudaHeader),
      source,
    ]);
  });
});

const otherDevice = "W7733  The kernels were built for compute capability 9.0 (Hopper, sm_90a), and Fake GPU 0 has 10.0\n";
const olderDriver = "W7733  The kernels need a driver of CUDA 12.0, and this one is of CUDA 11.8\n";
const besideCuda = `#include <cuda.h>
#include "kernels.hpp"
#include "kernels.hpp"
static_assert(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES == 8 && CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED == 14, "");
static_assert(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR == 75 && CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR == 76, "");
static_assert(CU_JIT_ERROR_LOG_BUFFER == 5 && CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES == 6 && CU_JIT_GENERATE_LINE_INFO == 13, "");
static_assert(CU_LAUNCH_ATTRIBUTE_COOPERATIVE == 2 && CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION == 4, "");
static_assert(CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION == 6, "");
static_assert(sizeof(CUlaunchConfig) == 56 && sizeof(CUlaunchAttribute) == 72, "");
static_assert(CU_TENSOR_MAP_DATA_TYPE_BFLOAT16 == 9 && CU_TENSOR_MAP_SWIZZLE_128B == 3 && CU_TENSOR_MAP_L2_PROMOTION_L2_256B == 3, "");
int main() {
  CUstream stream = nullptr;
  kernels::Launch how;
  how.stream = stream;
  return how.stream == nullptr ? 0 : 1;
}
`;

describe.runIf(compilers.cpp && compilers.python)("the module for Python", () => {
  let driver: CDriver;
  beforeAll(() => {
    driver = new CDriver(folder);
  });
  const source = join(folder, "main.py");
  writeFileSync(source, pythonProgram(own.places));
  const run = (at: string, more: readonly string[] = [], env = {}) => driver.run("python3", [source, at, ...more], manifest, env);

  it("tells the driver what kernel.launch does, and refuses what a kernel was not built for", () => {
    const { out, lines } = run(built);
    expect(out).toBe(mistakes.replace("HERE", "grid="));
    expect(sorted(lines)).toEqual(sorted(own.lines));
  });

  it("launches what it has prepared as it launches it for the first time", () => {
    const random = join(folder, "prepared.py");
    const launches = amount(20_000, 400);
    writeFileSync(random, preparedProgram(launches, seeds(1, 6, 1)[0] ?? 1));
    const { out } = driver.run("python3", [random, built], manifest, { FAKE_CUDA_ADDRESSED: "1" });
    const said = JSON.parse(out) as Record<string, unknown>;
    expect(said).toMatchObject({ odd: 0, kept: true, differ: 0 });
    expect(Number(said.launched) + Number(said.refused)).toBe(launches);
    expect(Math.min(Number(said.launched), Number(said.refused))).toBeGreaterThan(launches / 10);
  });

  it("refuses numbers and things that are none, and takes streams of arrays", rotating, () => {
    const { out, lines } = run(built, ["more"]);
    expect(out.slice(out.indexOf("number:"))).toMatchSnapshot();
    expect(lines.slice(-2).map(({ stream }) => stream)).toEqual([7, 9]);
  });

  it("refuses folders with something wrong in them, other devices and older drivers", rotating, () => {
    for (const { at, says } of some(folders, 2)) {
      copyFileSync(join(built, "kernels.py"), join(at, "kernels.py"));
      expect(run(at).out).toContain(says);
    }
    expect(run(built, [], { FAKE_CUDA_CAPABILITY: "10.0" }).out).toBe(otherDevice);
    expect(run(built, [], { FAKE_CUDA_VERSION: "11080" }).out).toBe(olderDriver);
    expect(run(built, [], { FAKE_CUDA_REFUSE: "cuModuleLoadDataEx:218" }).out).toBe(
      "scale: the driver refuses its code: 218 line 7: no such thing\n",
    );
  });

  it.runIf(hasCubins)("takes the cubins, and the PTX where the driver does not", rotating, () => {
    const kinds = (env = {}) =>
      run(withCubins, [], env)
        .lines.filter(({ call }) => call === "load")
        .map(({ kind }) => kind);
    expect(new Set(kinds())).toEqual(new Set(["cubin"]));
    expect(new Set(kinds({ FAKE_CUDA_NO_CUBIN: "1" }))).toEqual(new Set(["ptx"]));
  });
});
