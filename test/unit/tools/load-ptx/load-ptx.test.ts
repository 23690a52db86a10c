import { closeSync, openSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { openDevice } from "warpsmith";
import { loadPtx, type PtxArgument, pointer, scalar, struct } from "warpsmith/ptx";
import {
  clustered,
  clusteredExpected,
  file,
  mapExpected,
  mapInVariable,
  saxpy,
  saxpyExpected,
  variables,
  variablesExpected,
} from "./scenario.ts";

const gpu = await openDevice("emulator");
afterAll(() => gpu.dispose());

const gpu32 = gpu.tensor("f32", [32], new Float32Array(32).fill(1));

describe("on the emulator", () => {
  it("numbers, tensors and addresses are arguments", async () => expect(await saxpy(gpu)).toEqual(saxpyExpected));
  it("launches share the variables of their module", async () => expect(await variables(gpu)).toEqual(variablesExpected));
  it("small arguments, clusters, dynamic shared memory", async () => expect(await clustered(gpu)).toEqual(clusteredExpected));
  it("tensor maps lie in variables", async () => expect(await mapInVariable(gpu)).toEqual(mapExpected));

  it("a module that is loaded twice has its variables twice", async () => {
    const [a, b] = [loadPtx({ file }), loadPtx({ file })];
    a.variable("counter", { device: gpu, dtype: "u32" }).write([5]);
    expect(Array.from(await b.variable("counter", { device: gpu, dtype: "u32" }).read())).toEqual([0]);
    expect(Array.from(await a.variable("counter", { device: gpu, dtype: "u32" }).read())).toEqual([5]);
  });

  it("a device has each module once", async () => {
    const module = loadPtx({ file });
    await using other = await openDevice("emulator");
    module.variable("counter", { device: other, dtype: "u32" }).write([1]);
    expect(Array.from(await module.variable("counter", { device: gpu, dtype: "u32" }).read())).toEqual([0]);
  });

  it("the host writes and reads a managed variable by its name", async () => {
    const module = loadPtx(`.version 8.0
.target sm_90a
.address_size 64
.global .attribute(.managed) .align 4 .u32 m = 3;
.visible .entry k()
{
  .reg .b32 %r<2>;
  ld.global.u32 %r0, [m];
  add.u32 %r0, %r0, 1;
  st.global.u32 [m], %r0;
  ret;
}
`);
    const m = module.variable("m", { device: gpu, dtype: "u32" });
    module.entry().launch({ grid: 1, block: 1, device: gpu });
    expect(Array.from(await m.read())).toEqual([4]);
    m.write([10]);
    module.entry().launch({ grid: 1, block: 1, device: gpu });
    expect(Array.from(await m.read())).toEqual([11]);
  });

  it("launches are captured in graphs", async () => {
    const module = loadPtx({ file });
    const y = gpu.zeros("f32", [32]);
    using graph = gpu.capture(() => module.entry("saxpy").launch({ grid: 1, block: 32 }, 32, 1, gpu32, y));
    graph.launch();
    graph.launch();
    expect(Array.from(await y.read())).toEqual(new Array(32).fill(2));
  });
});

describe("what a module says of itself", () => {
  const module = loadPtx({ file });

  it("entries", () => {
    expect(module.file).toBe(file);
    expect(module.entries.map((e) => e.demangled)).toEqual([
      "saxpy(int, float, float const*, float*)",
      "clustered",
      "void ns::poly<float>(Params, float*)",
      "void ns::poly<double>(Params, double*)",
    ]);
    expect(module.entry("clustered")).toMatchObject({
      name: "clustered",
      parameters: [
        { type: "u64", bytes: 8, align: 8 },
        { type: "u8", bytes: 1, align: 1 },
        { type: "u64", bytes: 8, align: 8 },
        { type: "u16", bytes: 2, align: 2 },
        { type: "u8", bytes: 1, align: 1 },
      ],
      staticSharedBytes: 256,
      block: undefined,
      cluster: [2, 1, 1],
    });
    expect(module.entry("poly<float>").parameters[0]).toMatchObject({ type: "b8", bytes: 24, align: 8 });
  });

  it("variables", () => {
    expect(module.variables).toEqual([
      { name: "_ZN2ns4coefE", demangled: "ns::coef", space: "const", type: "b8", shape: [16], bytes: 16 },
      { name: "_ZN2ns7counterE", demangled: "ns::counter", space: "global", type: "u32", shape: [], bytes: 4 },
      { name: "_ZN2ns4descE", demangled: "ns::desc", space: "global", type: "b8", shape: [128], bytes: 128 },
    ]);
  });

  it.each(["_Z5saxpyifPKfPf", "saxpy", "saxpy(int, float, float const*, float*)"])("an entry is found by %s", (name) =>
    expect(module.entry(name).name).toBe("_Z5saxpyifPKfPf"),
  );
});

/** One entry that takes the parameter, and a variable of that declaration. */
const taking = (parameter: string, variable = ""): string => `.version 8.0
.target sm_90a
.address_size 64
${variable}
.visible .entry k(.param ${parameter}) { ret; }
`;
const k = (parameter: string): ReturnType<ReturnType<typeof loadPtx>["entry"]> => loadPtx(taking(parameter)).entry();
const launch = (parameter: string, ...args: readonly unknown[]): void =>
  k(parameter).launch({ grid: 1, block: 1, device: gpu }, ...(args as readonly PtxArgument[]));

describe("what a parameter takes", () => {
  const x = gpu.zeros("f32", [4]);
  it.each([
    [".u32 a", -1],
    [".u32 a", 2 ** 32 - 1],
    [".s64 a", Number.MAX_SAFE_INTEGER],
    [".u64 a", 2n ** 64n - 1n],
    [".u64 a", x],
    [".b64 a", 1n],
    [".b64 a", x],
    [".b8 a", true],
    [".b32 a", scalar("f32", 1.5)],
    [".b32 a", 7n],
    [".f16 a", 0.5],
    [".f64 a", Number.NaN],
    [".align 8 .b8 a[24]", struct(x, scalar("i8", 1), pointer(x, 4))],
    [".align 4 .b8 a[12]", Float32Array.of(1, 2, 3)],
    [".align 4 .b8 a[12]", new DataView(new ArrayBuffer(12))],
  ])("%s takes %s", (parameter, argument) => expect(() => launch(parameter, argument)).not.toThrow());

  it.each([
    [".u32 a", 2 ** 32, "W7809"],
    [".u32 a", 0.5, "W7809"],
    [".u32 a", "7", "W7809"],
    [".u32 a", undefined, "W7809"],
    [".u32 a", x, "W7806"],
    [".u8 a", 256, "W7809"],
    [".u16 a", true, "W7809"],
    [".f32 a", 1n, "W7809"],
    [".b32 a", 1, "W7809"],
    [".b64 a", 1.5, "W7809"],
    [".align 8 .b8 a[24]", 1, "W7809"],
    [".align 8 .b8 a[24]", struct(x), "W7806"],
    [".u64 a", { map: { mode: "tiled" }, tensor: {} }, "W7505"],
  ])("%s does not take %s: %s", (parameter, argument, code) => expect(() => launch(parameter, argument)).toThrow(code));

  it("numbers for bits say how they are meant", () =>
    expect(() => launch(".b32 a", 1)).toThrow('or scalar("f32", x) where it is a float: .b32 does not say'));
});

describe("what is refused before anything runs", () => {
  const module = loadPtx({ file });
  const code = (run: () => unknown): string => {
    try {
      run();
    } catch (error) {
      return String((error as { code?: unknown }).code);
    }
    return "";
  };

  it.each<readonly [code: string, what: string, run: () => unknown]>([
    ["W7804", "a name that there is not", () => module.entry("saxpi")],
    ["W7804", "no name where there are several", () => module.entry()],
    ["W7807", "a name of several", () => module.entry("poly")],
    ["W7808", "a variable that there is not", () => module.variable("cof", { device: gpu })],
    ["W7811", "more elements than a variable has", () => module.variable("coef", { device: gpu, dtype: "f32", shape: [5] })],
    ["W7811", "larger elements than a variable", () => module.variable("counter", { device: gpu, dtype: "f64" })],
    ["W7002", "an element type that there is not", () => module.variable("coef", { device: gpu, dtype: "f33" as never })],
    ["W2601", "an option that there is not", () => module.variable("coef", { on: gpu } as never)],
    ["W7805", "too few arguments", () => module.entry("saxpy").launch({ grid: 1, block: 1, device: gpu }, 1)],
    ["W7812", "no block", () => k(".u32 a").launch({ grid: 1, device: gpu }, 1)],
    ["W7015", "no grid", () => k(".u32 a").launch({ block: 1, device: gpu } as never, 1)],
    ["W7021", "no bytes", () => k(".u32 a").launch({ grid: 1, block: 1, smem: 0.5, device: gpu }, 1)],
    ["W8007", "another cluster than the kernel's", () => launchOf({ cluster: 1 })],
    ["W7810", "a file that is not there", () => loadPtx({ file: "nowhere.ptx" })],
    ["W2602", "no text", () => loadPtx(7 as never)],
    ["W9800", "no PTX", () => loadPtx("int main() {}")],
    ["W7810", "CUDA C++", () => loadPtx('#include <cuda.h>\nextern "C" __global__ void k(float *x) {}')],
    ["W7813", "an address beyond", () => pointer(gpu32, 129)],
    ["W7005", "a number that does not fit", () => scalar("i8", 128)],
    ["W7809", "a number in a structure", () => struct(1 as never)],
  ])("%s: %s", (wanted, _, run) => expect(code(run)).toBe(wanted));

  const launchOf = (config: object): void =>
    module.entry("clustered").launch({ grid: 2, block: 64, device: gpu, ...config }, gpu32, true, 1n, 1, 1);

  it("takes a file by its path or its URL, and no descriptor of an open file", () => {
    const url = new URL("../../../../examples/ptx/saxpy.ptx", import.meta.url);
    const descriptor = openSync(url, "r");
    try {
      expect(code(() => loadPtx({ file: descriptor as never }))).toBe("W7810");
      expect(readFileSync(descriptor, "utf8")).toBe(readFileSync(url, "utf8")); // Nobody read from it.
    } finally {
      closeSync(descriptor);
    }
    expect(loadPtx({ file: url }).file).toBe(fileURLToPath(url));
    expect(code(() => loadPtx({ file: new URL("https://example.org/saxpy.ptx") }))).toBe("W7810");
  });

  it("says what was perhaps meant", () => {
    expect(() => module.entry("saxpi")).toThrow("did you mean saxpy?");
    expect(() => module.variable("ns::conter", { device: gpu })).toThrow("did you mean ns::counter?");
    expect(() => module.entry("poly")).toThrow("ns::poly<float>(Params, float*), void ns::poly<double>");
  });
});

describe("reports", () => {
  it("name the argument beside which an access lies", async () => {
    const module = loadPtx({ file });
    await using device = await openDevice("emulator");
    const y = device.zeros("f32", [16]);
    module.entry("saxpy").launch({ grid: 1, block: 32 }, 32, 1, device.zeros("f32", [32]), y);
    await expect(device.sync()).rejects.toThrow("element 16 of parameter 3, [16]");
  });
});
