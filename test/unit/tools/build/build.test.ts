/** What is built, what is refused, and what the launcher for Node computes. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { assert, autotune, kernel, openDevice, type Tensor, TMA, tensorSpec, threadIdx, WarpsmithError } from "warpsmith";
import { type BuildEntry, build } from "warpsmith/build";
import { add, attentionKernel, kernelOf, matmulKernel, rmsNorm, softmax } from "warpsmith/kernels";
import { loadBuilt } from "warpsmith/runtime";
import { tensorCorePipeline } from "warpsmith/schedule";
import { warpgroupProduct } from "../../schedule/pipeline/warpgroup-products.ts";
import { copyRows, everything, scale } from "./kernels.ts";

const folder = mkdtempSync(join(tmpdir(), "build-"));
afterAll(() => rmSync(folder, { recursive: true }));
let folders = 0;
const fresh = (): string => join(folder, `${folders++}`);

const spec = tensorSpec("f32", [64]);
const simple = kernel({ block: 64, grid: 1 }, function simple(x: Tensor<"f32", 1>) {
  x.at(threadIdx.x).store(1);
});

describe("what is built", () => {
  const of = (entry: BuildEntry) => {
    const { manifest, notes } = build({ k: entry }).write(fresh(), { for: ["cpp"], cubin: false });
    return { ...(manifest.kernels.k ?? expect.fail()), notes };
  };
  const shapes = ({ parameters }: ReturnType<typeof of>) =>
    parameters.map((p) => (p.kind === "tensor" ? [p.name, ...p.shape] : [p.name]));

  it("of a kernel with shapes: its numbers and its dynamic dimensions are each launch's", () => {
    const found = of(scale.at(tensorSpec("f32", [1000]), tensorSpec("f32", [1000]), 1));
    expect(shapes(found)).toEqual([["x", null], ["y", null], ["by"]]);
    expect(found.grid).toEqual([{ op: "cdiv", args: [{ of: 0, shape: 0 }, 128] }, 1, 1]);
    expect(found.notes).toEqual([]);
  });

  it("leaves no device open: reports and launches after it go to those of the author", async () => {
    build((gpu) => ({ simple: simple.at(gpu.empty("f32", [64])) }));
    await using gpu = await openDevice("emulator");
    using x = gpu.zeros("f32", [64]);
    expect(simple.compile(spec).report().title).toContain("simple");
    simple.launch({}, x);
    expect(await x.read()).toEqual(new Float32Array(64).fill(1));
  });

  it("says where JavaScript alone can compute the grid", () => {
    const found = of(copyRows.at(new TMA(tensorSpec("f32", [40, 32]), { box: [8, 32] }), tensorSpec("f32", [40, 32])));
    expect([found.grid, found.waitsForPrevious]).toEqual([null, true]);
    expect(found.notes).toEqual([expect.stringMatching(/^k: each launch says the grid/)]);
  });

  it("of functions of warpsmith/kernels: numbers and shapes are the build's, tensors in one place one parameter", () => {
    const made = build((gpu) => {
      const [x, weight, q] = [gpu.empty("f16", [64, 128]), gpu.empty("f16", [128]), gpu.empty("f16", [1, 2, 128, 64])];
      const [a, b] = [gpu.empty("f16", [256, 64]), gpu.empty("f16", [64, 192])];
      return {
        softmax: kernelOf(softmax, x),
        norm: kernelOf(rmsNorm, x, weight),
        add: kernelOf(add, x, gpu.empty("f16", [64, 128])),
        attention: attentionKernel(q, q, gpu.empty("f16", [1, 2, 128, 64])),
        product: matmulKernel(a, b),
        rows: matmulKernel(a, b, { dynamicM: true }),
        few: matmulKernel(gpu.empty("f16", [16, 64]), b, { dynamicM: true }),
        scaled: { ...matmulKernel(a, b, { alpha: 2, beta: 0 }), open: ["alpha"] },
      };
    });
    const { manifest } = made.write(fresh(), { for: ["cpp"], cubin: false });
    const lines = Object.entries(manifest.kernels).map(([name, { parameters }]) => {
      const given = parameters.map((p) => (p.kind === "tensor" ? `${p.name}[${p.shape.map((n) => n ?? "?")}]` : p.name));
      return `${name}: ${given.join(" ")}`;
    });
    expect(lines).toMatchInlineSnapshot(`
      [
        "softmax: x[64,128] y[64,128]",
        "norm: x[64,128] y[64,128] weight[128]",
        "add: out[8192] a[8192] b[8192]",
        "attention: q[1,2,128,64] v[1,2,128,64] out[1,2,128,64]",
        "product: a[256,64] b[64,192] d[256,192]",
        "rows: a[?,64] b[64,192] d[?,192]",
        "few: a[16,64] b[64,192] d[16,192]",
        "scaled: a[256,64] b[64,192] d[256,192] alpha",
      ]
    `);
    expect(manifest.kernels.rows?.grid?.[0]).toMatchObject({ op: "min" });
  });

  it("of a program of loops: the maps that a launch makes of its tensors are those of its parameters", () => {
    const options = { instruction: "wgmma", tile: [128, 64, 64], workgroup: [128, 2, 1], depth: 3 } as const;
    const { schedule } = tensorCorePipeline(warpgroupProduct({ shape: [256, 256, 256] }), options);
    // One object for both operands: which of them a map is made of must not depend on that.
    const operand = tensorSpec("f16", [256, 256]);
    const found = of(schedule.kernel().at(operand, operand, tensorSpec("f32", [256, 256])));
    expect(shapes(found)).toEqual([
      ["A", 256, 256],
      ["B", 256, 256],
      ["C", 256, 256],
    ]);
    const maps = found.slots.flatMap((slot) => (slot.kind === "map" ? [slot.of] : []));
    expect(new Set(maps)).toEqual(new Set([0, 1, 2]));
  });
});

describe("what is refused", () => {
  const refused = (run: () => unknown): string => {
    try {
      run();
      return "nothing";
    } catch (error) {
      if (!(error instanceof WarpsmithError)) throw error;
      expect(error.spans.length, error.message).toBeGreaterThan(0);
      return `${error.code}  ${error.sentence}`;
    }
  };
  const k = (entry: unknown) => () => build({ k: entry } as never);
  const logging = kernel({ block: 1, grid: 1 }, function logging(x: Tensor<"f32", 1>) {
    console.log(x.at(0).load());
  });
  const asserting = kernel({ block: 1, grid: 1, debug: true }, function asserting(x: Tensor<"f32", 1>) {
    assert(x.at(0).load() > 0);
  });
  const wide = kernel({ block: (x) => x.shape[0], grid: 1, dynamic: { x: [0] } }, function wide(x: Tensor<"f32", 1>) {
    x.at(threadIdx.x).store(1);
  });
  const tuned = autotune([1, 2], (n) =>
    kernel({ block: n, grid: 1 }, function tuned(x: Tensor<"f32", 1>) {
      x.at(threadIdx.x).store(1);
    }),
  );

  it.each([
    [() => build({}), /^W7720 {2}build\(\) takes kernels by name, not an object without any/],
    [() => build(7 as never), /^W7720/],
    [k(simple), /^W7720 {2}'k' is to be built, and is /],
    [k(undefined), /^W7720/],
    [k(logging.at(spec)), /^W7721 {2}'k' cannot be built: logging has a console\.log/],
    [k(asserting.at(spec)), /^W7721 {2}'k' cannot be built: asserting is compiled with debug/],
    [k(tuned.at(spec)), /^W7721 {2}'k' cannot be built: tuned chooses its configuration by measuring/],
    [k(wide.at(spec)), /^W7722 {2}'k' cannot be built: the block of wide depends on a number or a dimension/],
    [() => build((gpu) => ({ k: matmulKernel(gpu.empty("f16", [64, 8191]), gpu.empty("f16", [8191, 64])) })), /^W7723/],
    [
      () =>
        build((gpu) => ({
          k: kernelOf(
            softmax,
            gpu
              .empty("f16", [64 * 64 + 1])
              .slice([1, 4097])
              .reshape(64, 64),
          ),
        })),
      /^W7721.*was prepared for where exactly/,
    ],
    [() => build({ "a-b": simple.at(spec) }), /^W7724 {2}A kernel of a build cannot be called 'a-b'/],
    [() => build({ delete: simple.at(spec) }), /^W7724/],
    [() => build({ k: simple.at(spec) }, { name: "my kernels" }), /^W7724 {2}A build cannot be called 'my kernels'/],
    [() => build({ k: simple.at(spec) }, { named: "x" } as never), /^W2601/],
    [k({ ...simple.at(spec), open: ["alpha"] }), /^W7729 {2}'k' is to leave 'alpha' open, and has no numbers/],
    [
      () => build((gpu) => ({ k: simple.at(gpu.tensor("f32", [1], [1])) })),
      /^W7728 {2}Writing a tensor is not possible on the device of build/,
    ],
    [k(simple.at(tensorSpec("f16", [64]) as never)), /^W7504/],
  ])("%s", (run, says) => {
    expect(refused(run)).toMatch(says);
  });
});

describe("what is written", () => {
  const made = build({ simple: simple.at(spec) }, { name: "mine" });

  it("is what was asked for, and takes the place of an earlier build", () => {
    const at = fresh();
    made.write(at, { cubin: false });
    expect(readdirSync(at).toSorted()).toEqual(["manifest.json", "mine.d.ts", "mine.hpp", "mine.js", "mine.py", "simple.ptx"]);
    writeFileSync(join(at, "mine.py"), "# mine now");
    writeFileSync(join(at, "notes.txt"), "kept");
    made.write(at, { for: ["node"], cubin: false });
    // What was edited is its author's.
    expect(readdirSync(at).toSorted()).toEqual(["manifest.json", "mine.d.ts", "mine.js", "mine.py", "notes.txt", "simple.ptx"]);
  });

  it("is never written over what is of no build", () => {
    const at = fresh();
    mkdirSync(at);
    writeFileSync(join(at, "mine.js"), "export {};");
    expect(() => made.write(at)).toThrow(/^W7725 .*its file mine\.js is of no build/);
    expect(readdirSync(at)).toEqual(["mine.js"]);
    expect(() => made.write(join(at, "mine.js"))).toThrow(/^W7725 .*it is no folder/);
    expect(() => made.write("")).toThrow(/^W7725/);
  });

  it("takes options that there are", () => {
    expect(() => made.write(fresh(), { for: ["rust"] } as never)).toThrow(/^W7046/);
    expect(() => made.write(fresh(), { for: [] })).toThrow(/^W7046/);
    expect(() => made.write(fresh(), { cubin: "no" } as never)).toThrow(/^W7046/);
    expect(() => made.write(fresh(), { cubins: false } as never)).toThrow(/^W2601/);
    expect(() => loadBuilt(fresh(), { ids: "x" } as never)).toThrow(/^W2601/);
    expect(() => loadBuilt(7 as never)).toThrow(/^W7730/);
  });

  it("says where there is no ptxas", () => {
    const before = process.env.PATH;
    process.env.PATH = fresh();
    try {
      const { manifest, notes, files } = made.write(fresh(), { for: ["cpp"] });
      expect([manifest.assembler, manifest.kernels.simple?.cubin, files]).toEqual([
        null,
        null,
        ["simple.ptx", "mine.hpp", "manifest.json"],
      ]);
      expect(notes).toEqual([expect.stringMatching(/^no ptxas was found/)]);
    } finally {
      process.env.PATH = before;
    }
  });
});

describe("built kernels in Node", () => {
  it("compute what they compute without a build", async () => {
    const at = fresh();
    everything.write(at, { cubin: false });
    const { kernels, manifest } = loadBuilt(at);
    expect(Object.keys(kernels)).toEqual(Object.keys(manifest.kernels));
    await using device = await openDevice("emulator", { check: "strict" });
    const [x, y] = [
      device.tensor(
        "f32",
        [300],
        Array.from({ length: 300 }, (_, i) => i),
      ),
      device.zeros("f32", [300]),
    ];
    kernels.scale?.launch({}, x, y, 3);
    expect([...(await y.read())]).toEqual(Array.from({ length: 300 }, (_, i) => 3 * i));
    const rows = device.tensor(
      "f32",
      [20, 36],
      Array.from({ length: 720 }, (_, i) => i),
    );
    const copy = device.zeros("f32", [20, 32]);
    kernels.copyRows?.launch({ grid: 4 }, rows.slice(undefined, [0, 32]), copy);
    expect([...(await copy.read())]).toEqual([...(await rows.slice(undefined, [0, 32]).read())]);
    const ones = (m: number, n: number) => device.tensor("f16", [m, n], new Array<number>(m * n).fill(1));
    const d = device.zeros("f16", [128, 128]);
    kernels.gemm?.launch({}, ones(128, 64), ones(64, 128), d, 0.5);
    expect(new Set(await d.read())).toEqual(new Set([32]));
  });

  it("refuses a device of another kind", async () => {
    const at = fresh();
    const { manifest } = everything.write(at, { cubin: false, for: ["node"] });
    const device = { ...manifest.device, target: "sm_100a", computeCapability: [10, 0], architecture: "Blackwell" };
    writeFileSync(join(at, "manifest.json"), JSON.stringify({ ...manifest, device }));
    await using emulator = await openDevice("emulator");
    const x = emulator.zeros("f32", [8]);
    expect(() => loadBuilt(at).kernels.scale?.launch({}, x, x, 1)).toThrow(
      "W7733  The kernels were built for compute capability 10.0 (Blackwell, sm_100a), and emulator has sm_90a",
    );
  });

  it("load nothing that transforms, traces or compiles", () => {
    const src = join(import.meta.dirname, "../../../../src");
    const loaded = new Set<string>();
    const packages = new Set<string>();
    const visit = (file: string): void => {
      if (loaded.has(file)) return;
      loaded.add(file);
      const text = readFileSync(join(src, file), "utf8").replace(/^(import|export) type [^;]*;/gm, "");
      for (const [, name = ""] of text.matchAll(/(?:\bfrom |^import |\bimport\()"([^"\n]+)"/gm)) {
        if (name.startsWith(".")) visit(relative(src, join(src, dirname(file), name)));
        else packages.add(name);
      }
    };
    visit("entries/runtime.ts");
    expect(loaded).toContain("emulator/device.ts");
    expect(loaded).toContain("cuda/cuda-device.ts");
    for (const room of [
      "transform",
      "dsl",
      "kernel",
      "kernels",
      "ir",
      "passes",
      "lower",
      "compile.ts",
      "schedule",
      "tools/build",
    ])
      expect([...loaded].filter((file) => file === room || file.startsWith(`${room}/`))).toEqual([]);
    // Errors have the package's own name in what they say.
    expect([...packages].filter((name) => !/^(node:|warpsmith)/.test(name)).toSorted()).toEqual([
      "@petamoriken/float16",
      "koffi",
    ]);
  });
});
