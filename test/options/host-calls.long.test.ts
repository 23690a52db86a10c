import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import * as warpsmith from "warpsmith";
import { autotune, type Device, explicit, helper, kernel, openDevice, type Tensor, TMA, tensorSpec } from "warpsmith";
import * as arrays from "warpsmith/arrays";
import * as builds from "warpsmith/build";
import * as kernels from "warpsmith/kernels";
import * as ptx from "warpsmith/ptx";
import { loadBuilt } from "warpsmith/runtime";
import * as testing from "warpsmith/testing";
import { wrongValues } from "./values.ts";

/**
 * Every function of the public API, called on the host with something wrong in the place of each argument: it works, or it throws an
 * error with a code. What comes raw out of the package's own files is a mistake of ours.
 */
// biome-ignore lint/suspicious/noExplicitAny: types are what this is not about
type Any = any;

interface Call {
  /** Good arguments; each of them is replaced in turn. */
  readonly good: () => readonly unknown[];
  readonly call: (...args: Any[]) => unknown;
}

let gpu: Device;
let other: Device;
beforeAll(async () => {
  gpu = await openDevice("emulator");
  other = await openDevice("emulator");
});
/** What has been launched is waited for in the test that launched it. */
afterEach(() => refusal(() => gpu.sync()));
afterAll(async () => {
  await gpu.dispose();
  await other.dispose();
});

const fill = kernel(
  { block: 32, grid: 1, params: ["tensor", "f32"] },
  explicit((x: Any, value: Any) => x.at(0).store(value)),
);
const log = kernel({ block: 1, grid: 1, params: ["tensor"] }, function log(x: Tensor<"f32", 1>) {
  console.log(x[0]);
});
const mapped = kernel(
  { block: 32, grid: 1, params: ["tma", "static"] },
  explicit((map: Any, _: Any) => map.prefetch()),
);
const relu = helper((value: number) => Math.max(value, 0));
const biased = helper((value: number, { bias }: { bias: number }) => value + bias);
const definedOnly = (o: object): object => Object.fromEntries(Object.entries(o).filter(([, value]) => value !== undefined));
const matrix = () => gpu.zeros("f16", [64, 64]);
const half = () => gpu.zeros("f16", [64]);
const twice = helper(({ x }: { x: number }) => 2 * x);
const memoryOptions = ["out", "plan", "stream", "overlapPrevious"];
const heads = () => gpu.zeros("f16", [1, 1, 64, 64]);
const queries = () => gpu.zeros("f16", [1, 1, 64]);
const begins = () => gpu.zeros("i32", [2]);
const seesAll = helper((query: number) => query >= 0);
const decodePlan = { keys: 64, stages: 2, blocks: 1, least: 2 };
const attentionPlanFields = ["consumers", "keys", "stages", "turns", "overlap", "slack", "persistent", "group"];
const attentionPlan = {
  ...{ consumers: 1, keys: 64, stages: 2, turns: false },
  ...{ overlap: false, slack: 0, persistent: false, group: 1 },
};
const rowPlanFields = ["threads", "group", "cluster", "keep", "depth", "blocksPerSM", "evict"];
const vector = () => gpu.zeros("f32", [8]);
const spec = () => tensorSpec("f16", [64, 64]);

/** One call for each option: `good` gives a right value, undefined where it may be left out. */
const each = (of: string, names: readonly string[], call: (options: Any) => unknown): Readonly<Record<string, Call>> =>
  Object.fromEntries(
    names.map((name) => [`${of}, ${name}`, { good: () => [undefined], call: (value) => call({ [name]: value }) } satisfies Call]),
  );

const launched = async (launch: () => void): Promise<void> => {
  launch();
  await gpu.sync();
};
const arrayFile = "test/unit/tools/arrays/fixtures/f4.npy";
const folder = mkdtempSync(join(tmpdir(), "host-calls-"));
afterAll(() => rmSync(folder, { recursive: true }));
const saxpyPtx = { file: "examples/ptx/saxpy.ptx" };
const loaded = () => ptx.loadPtx(saxpyPtx);
const scaled = (): Any => (fill as Any).at(tensorSpec("f32", [8]), 1);
const written = () => builds.build({ k: scaled() });
const builtAt = (): string => written().write(join(folder, "built"), { cubin: false }).folder;
const captured = () => gpu.capture(() => fill.launch({}, vector() as Any, 1 as Any));
/** As many launches as it is told, and nobody waits for 2 ** 53. */
const few = (x: unknown): unknown => (typeof x === "number" && x > 1e6 ? 1 : x);
const im2col = { lower: [0, 0], upper: [0, 0], channels: 8, pixels: 8 };
const fields = ["dtype", "shape", "strides", "rank"];
const kernelOptions = [
  "block",
  "grid",
  "cluster",
  "nonPortableCluster",
  "cooperative",
  "smem",
  "registers",
  "blocksPerSM",
  "dynamic",
];
const mapOptions = ["swizzle", "interleave", "l2Promotion", "oobFill", "elementStrides"];
const matmulOptions = ["out", "epilogue", "inputs", "outputs", "stream", "plan", "dynamicM", "invariant", "overlapPrevious"];
const planFields = ["tile", "stages", "consumers", "schedule", "cluster", "order"];

const calls: Readonly<Record<string, Call>> = {
  openDevice: { good: () => ["emulator", {}], call: async (...a) => (await openDevice(...(a as [Any, Any]))).dispose() },
  ...each("openDevice", ["schedule", "check", "threads"], async (o) => (await openDevice("emulator", o)).dispose()),
  tensorSpec: { good: () => ["f32", [4]], call: (...a) => tensorSpec(...(a as [Any, Any])) },
  kernel: { good: () => [{ block: 32, params: [] }, explicit(() => {})], call: (...a) => kernel(...(a as [Any, Any])) },
  ...each("kernel", [...kernelOptions, "debug", "contract", "params"], (o) => {
    const options = { block: 32, params: ["tensor"], ...o };
    return kernel(options, explicit((_: Any) => {}) as Any).compile(tensorSpec("f32", [4]) as never);
  }),
  explicit: { good: () => [() => {}], call: (f) => explicit(f) },
  helper: { good: () => [() => {}], call: (f) => helper(f) },
  "device.tensor": { good: () => ["f32", [2], [1, 2]], call: (...a) => gpu.tensor(...(a as [Any, Any, Any])) },
  ...Object.fromEntries(
    ["i64", "bool", "bf16", "f16", "tf32", "u8"].map((dtype) => [
      `device.tensor of ${dtype}`,
      { good: () => [[1]], call: (data) => gpu.tensor(dtype as Any, [data?.length ?? 1], data) } satisfies Call,
    ]),
  ),
  "device.empty": { good: () => ["f32", [2]], call: (...a) => gpu.empty(...(a as [Any, Any])) },
  "device.zeros": { good: () => ["f32", [2]], call: (...a) => gpu.zeros(...(a as [Any, Any])) },
  "device.tensorAt": {
    good: () => ["f32", [2], vector().address(), {}],
    call: (...a) => gpu.tensorAt(...(a as [Any, Any, Any, Any])),
  },
  ...each("device.tensorAt", ["strides"], (o) => gpu.tensorAt("f32", [2], vector().address(), o)),
  "arrays.listArrays": { good: () => [arrayFile], call: (path) => arrays.listArrays(path) },
  "arrays.readArrays": { good: () => [arrayFile, {}], call: (...a) => arrays.readArrays(...(a as [Any, Any])) },
  ...each("arrays.readArrays", ["names"], (o) => arrays.readArrays(arrayFile, o)),
  "arrays.readArray": { good: () => [arrayFile, {}], call: (...a) => arrays.readArray(...(a as [Any, Any])) },
  ...each("arrays.readArray", ["name", "dtype", "rank", "shape"], (o) => arrays.readArray(arrayFile, o)),
  "arrays.loadArrays": {
    good: () => [gpu, arrayFile, {}],
    call: async (...a) => (await arrays.loadArrays(...(a as [Any, Any, Any]))).dispose(),
  },
  "arrays.loadArrays, tensor": {
    good: () => ["f4", "f32", 2],
    call: async (...a) => {
      using loaded = await arrays.loadArrays(gpu, arrayFile);
      loaded.tensor(...(a as [Any, Any, Any]));
    },
  },
  "arrays.loadArray": {
    good: () => [gpu, arrayFile, {}],
    call: async (...a) => (await arrays.loadArray(...(a as [Any, Any, Any]))).dispose(),
  },
  "arrays.writeArrays": {
    good: () => [join(folder, "x.npz"), { x: vector() }, {}],
    call: (...a) => arrays.writeArrays(...(a as [Any, Any, Any])),
  },
  ...each("arrays.writeArrays", ["compress", "metadata"], (o) => arrays.writeArrays(join(folder, "x.npz"), { x: vector() }, o)),
  ...each("arrays.writeArrays of elements,", ["dtype", "shape", "data"], (o) =>
    arrays.writeArrays(join(folder, "x.npz"), { x: { dtype: "f32", shape: [2], data: [1, 2], ...definedOnly(o) } as Any }),
  ),
  "arrays.writeArray": { good: () => [join(folder, "x.npy"), vector()], call: (...a) => arrays.writeArray(...(a as [Any, Any])) },
  "device.capture": { good: () => [() => fill.launch({}, vector() as Any, 1 as Any)], call: (f) => gpu.capture(f) },
  "tensor.write": { good: () => [[1, 2, 3, 4, 5, 6, 7, 8]], call: (data) => vector().write(data) },
  "tensor.write, an element": { good: () => [1], call: (value) => vector().write([0, 1, 2, 3, 4, 5, 6, value]) },
  "tensor.fill": { good: () => [1], call: (value) => vector().fill(value) },
  "tensor.transpose": { good: () => [1, 0], call: (...a) => matrix().transpose(...a) },
  "tensor.reshape": { good: () => [32, 128], call: (...a) => matrix().reshape(...a) },
  "tensor.slice": { good: () => [[0, 32], undefined], call: (...a) => matrix().slice(...(a as [Any])) },
  "tensor.slice, its ends": { good: () => [0, 32], call: (...a) => matrix().slice(a as Any) },
  "kernel.launch": {
    good: () => [{}, vector(), 1],
    call: (...a) => launched(() => fill.launch(...(a as [Any, Any, Any]))),
  },
  "kernel.launch, the first of a kernel": {
    good: () => [{ grid: 1 }],
    call: (config) =>
      launched(() =>
        kernel(
          { block: 1, params: ["tensor"] },
          explicit((_: Any) => {}),
        ).launch(config, vector() as never),
      ),
  },
  "kernel.launch again": {
    good: () => [1],
    call: (value) =>
      launched(() => {
        const x: Any = vector();
        fill.launch({}, x, 1 as Any);
        fill.launch({}, x, value);
      }),
  },
  ...each("kernel.launch", ["grid", "device", "stream", "overlapPrevious", "onLog"], (o) =>
    launched(() => log.launch(o, vector() as Any)),
  ),
  "kernel.launch of a map": {
    good: () => [new TMA(matrix(), { box: [8, 8] }), 3],
    call: (...a) => launched(() => mapped.launch({}, ...(a as [Any, Any]))),
  },
  "kernel.compile": { good: () => [vector(), 1], call: (...a) => fill.compile(...(a as [Any, Any])).ptx },
  ...each("report of a compiled kernel", ["grid", "us", "gpu"], (o) => String(fill.compile(vector(), 1).report(o))),
  ...each("kernel.compile for a specification", fields, (o) =>
    fill.compile({ ...tensorSpec("f32", [4]), ...definedOnly(o) } as Any, 1 as Any),
  ),
  "kernel.trace": { good: () => [vector(), 1], call: (...a) => String(fill.trace(...(a as [Any, Any]))) },
  // Its options are those below: without any, it launches often enough to be waited for.
  "kernel.bench": {
    good: () => [vector(), 1],
    call: (...a) => fill.bench({ warmup: 1, repeat: 1, flush: false }, ...(a as [Any, Any])),
  },
  ...each("kernel.bench", ["grid", "device", "stream", "overlapPrevious", "onLog", "warmup", "repeat", "flush"], (o) => {
    const [[name, value] = []] = Object.entries(o);
    return fill.bench({ warmup: 1, repeat: 1, flush: false, [name as string]: few(value) } as Any, vector() as Any, 1 as Any);
  }),
  "kernel.profile": { good: () => [vector(), 1], call: (...a) => fill.profile({}, ...(a as [Any, Any])) },
  ...each("kernel.profile", ["grid", "device", "stream", "overlapPrevious", "onLog", "limit", "latency", "plain"], (o) =>
    fill.profile(o as Any, vector() as Any, 1 as Any),
  ),
  autotune: {
    good: () => [[1], () => fill, {}],
    call: (...a) => launched(() => autotune(...(a as [Any, Any, Any])).launch({}, vector() as Any, 1 as Any)),
  },
  ...each("autotune", ["key", "skip", "restore"], (o) =>
    launched(() => autotune([1, 2], () => fill, o).launch({}, vector() as Any, 1 as Any)),
  ),
  "tuned.launch": {
    good: () => [{}, vector(), 1],
    call: (...a) => launched(() => autotune([1, 2], () => fill).launch(...(a as [Any, Any, Any]))),
  },
  "tuned.profile": {
    good: () => [{}, vector(), 1],
    call: (...a) => autotune([1], () => fill).profile(...(a as [Any, Any, Any])),
  },
  "tuned.bench": { good: () => [{}, vector(), 1], call: (...a) => autotune([1], () => fill).bench(...(a as [Any, Any, Any])) },
  "tuned.compile": { good: () => [vector(), 1], call: (...a) => autotune([1], () => fill).compile(...(a as [Any, Any])).ptx },
  "tuned.trace": { good: () => [vector(), 1], call: (...a) => String(autotune([1], () => fill).trace(...(a as [Any, Any]))) },
  "graph.launch": { good: () => [{}], call: (config) => captured().launch(config) },
  ...each("graph.launch", ["stream"], (o) => captured().launch(o)),
  TMA: { good: () => [spec(), { box: [8, 8] }], call: (...a) => new TMA(...(a as [Any, Any])) },
  ...each("TMA", ["box", ...mapOptions], (o) => new TMA(spec(), { box: [8, 8], ...o })),
  ...each("TMA of a specification", fields, (o) => new TMA({ ...spec(), ...definedOnly(o) } as Any, { box: [8, 8] })),
  "TMA.im2col": { good: () => [tensorSpec("f16", [1, 8, 8, 8]), im2col], call: (...a) => TMA.im2col(...(a as [Any, Any])) },
  ...each("TMA.im2col", [...Object.keys(im2col), ...mapOptions], (o) =>
    TMA.im2col(tensorSpec("f16", [1, 8, 8, 8]), { ...im2col, ...o }),
  ),
  "kernels.matmul": {
    good: () => [matrix(), matrix(), { epilogue: relu }],
    call: (...a) => kernels.matmul(...(a as [Any, Any, Any])),
  },
  "kernels.matmulKernel": {
    good: () => [matrix(), matrix(), {}],
    call: (...a) => kernels.matmulKernel(...(a as [Any, Any, Any])),
  },
  "kernels.gatedMatmul": {
    good: () => [matrix(), matrix(), matrix(), {}],
    call: (...a) => kernels.gatedMatmul(...(a as [Any, Any, Any, Any])),
  },
  "kernels.gatedMatmulKernel": {
    good: () => [matrix(), matrix(), matrix(), {}],
    call: (...a) => kernels.gatedMatmulKernel(...(a as [Any, Any, Any, Any])),
  },
  ...each("kernels.gatedMatmul", matmulOptions, (o) => kernels.gatedMatmulKernel(matrix(), matrix(), matrix(), o)),
  "kernels.attention": {
    good: () => [heads(), heads(), heads(), {}],
    call: (...a) => kernels.attention(...(a as [Any, Any, Any, Any])),
  },
  "kernels.attentionKernel": {
    good: () => [heads(), heads(), heads(), {}],
    call: (...a) => kernels.attentionKernel(...(a as [Any, Any, Any, Any])),
  },
  ...each(
    "kernels.attention",
    ["out", "causal", "window", "scale", "score", "data", "mask", "logSumExp", "stream", "plan", "overlapPrevious"],
    (o) => kernels.attentionKernel(heads(), heads(), heads(), o),
  ),
  "kernels.attentionMask": {
    good: () => [gpu, seesAll, { queries: 64, keys: 64 }],
    call: (...a) => kernels.attentionMask(...(a as [Any, Any, Any])),
  },
  ...each(
    "kernels.attentionMask",
    ["queries", "keys", "cuSeqlens", "cuSeqlensKeys", "heads", "batches", "data", "block", "stream"],
    (o) => kernels.attentionMask(gpu, seesAll, { queries: 64, keys: 64, ...definedOnly(o) }),
  ),
  ...each("kernels.attentionMask, update", ["stream"], (o) =>
    kernels.attentionMask(gpu, seesAll, { queries: 64, keys: 64 }).update(o),
  ),
  ...each("kernels.attention, plan", attentionPlanFields, (plan) =>
    kernels.attentionKernel(heads(), heads(), heads(), { plan: { ...attentionPlan, ...definedOnly(plan) } as Any }),
  ),
  "kernels.attentionDecode": {
    good: () => [queries(), heads(), heads(), {}],
    call: (...a) => kernels.attentionDecode(...(a as [Any, Any, Any, Any])),
  },
  "kernels.attentionDecodeKernel": {
    good: () => [queries(), heads(), heads(), {}],
    call: (...a) => kernels.attentionDecodeKernel(...(a as [Any, Any, Any, Any])),
  },
  ...each(
    "kernels.attentionDecode",
    ["lengths", "pages", "scale", "window", "out", "logSumExp", "stream", "plan", "overlapPrevious"],
    (o) => kernels.attentionDecodeKernel(queries(), heads(), heads(), o),
  ),
  "kernels.attentionVarlen": {
    good: () => [queries(), queries(), queries(), { cuSeqlens: begins() }],
    call: (...a) => kernels.attentionVarlen(...(a as [Any, Any, Any, Any])),
  },
  "kernels.attentionVarlenKernel": {
    good: () => [queries(), queries(), queries(), { cuSeqlens: begins() }],
    call: (...a) => kernels.attentionVarlenKernel(...(a as [Any, Any, Any, Any])),
  },
  ...each(
    "kernels.attentionVarlen",
    [
      "cuSeqlens",
      "cuSeqlensKeys",
      "out",
      "causal",
      "window",
      "scale",
      "score",
      "data",
      "mask",
      "logSumExp",
      "stream",
      "plan",
      "overlapPrevious",
    ],
    (o) => kernels.attentionVarlenKernel(queries(), queries(), queries(), { cuSeqlens: begins(), ...definedOnly(o) }),
  ),
  ...each("kernels.attentionDecode, plan", Object.keys(decodePlan), (plan) =>
    kernels.attentionDecodeKernel(queries(), heads(), heads(), { plan: { ...decodePlan, ...definedOnly(plan) } as Any }),
  ),
  ...each("kernels.matmul", matmulOptions, (o) => kernels.matmulKernel(matrix(), matrix(), o)),
  ...each("kernels.matmul, plan", planFields, (plan) => kernels.matmulKernel(matrix(), matrix(), { plan })),
  ...Object.fromEntries(
    (
      [
        "softmax",
        "logSoftmax",
        "sum",
        "mean",
        "logSumExp",
        "max",
        "min",
        "argmax",
        "argmin",
        "sumColumns",
        "cumsum",
        "copy",
        "transpose",
      ] as const
    ).map((name) => [
      `kernels.${name}`,
      { good: () => [matrix(), {}], call: (...a: Any[]) => (kernels[name] as Any)(...a) } satisfies Call,
    ]),
  ),
  ...Object.fromEntries(
    (["add", "siluMul", "geluMul"] as const).map((name) => [
      `kernels.${name}`,
      { good: () => [matrix(), matrix(), {}], call: (...a: Any[]) => (kernels[name] as Any)(...a) } satisfies Call,
    ]),
  ),
  ...each("kernels.softmax", memoryOptions, (o) => kernels.softmax(matrix(), o)),
  ...each("kernels.softmax, plan", rowPlanFields, (plan) =>
    kernels.softmax(matrix(), { plan: { threads: 64, group: "block", ...definedOnly(plan) } as Any }),
  ),
  "kernels.rmsNorm": { good: () => [matrix(), half(), {}], call: (...a) => kernels.rmsNorm(...(a as [Any, Any, Any])) },
  ...each("kernels.rmsNorm", ["eps", "residual", "sum", ...memoryOptions], (o) => kernels.rmsNorm(matrix(), half(), o)),
  "kernels.layerNorm": { good: () => [matrix(), half(), {}], call: (...a) => kernels.layerNorm(...(a as [Any, Any, Any])) },
  ...each("kernels.layerNorm", ["eps", "bias", "residual", "sum", ...memoryOptions], (o) =>
    kernels.layerNorm(matrix(), half(), o),
  ),
  "kernels.topK": { good: () => [matrix(), 3, {}], call: (...a) => kernels.topK(...(a as [Any, Any, Any])) },
  ...each("kernels.topK", ["values", "indices", ...memoryOptions.filter((name) => name !== "out")], (o) =>
    kernels.topK(matrix(), 3, o),
  ),
  "kernels.sample": { good: () => [matrix(), { seed: 1 }], call: (...a) => kernels.sample(...(a as [Any, Any])) },
  ...each("kernels.sample", ["temperature", "topK", "topP", "uniform", "offset", ...memoryOptions], (o) =>
    kernels.sample(matrix(), { ...((o as Any).uniform === undefined ? { seed: 1 } : {}), ...definedOnly(o) } as Any),
  ),
  "kernels.histogram": {
    good: () => [gpu.zeros("i32", [64]), 8, {}],
    call: (...a) => kernels.histogram(...(a as [Any, Any, Any])),
  },
  ...each("kernels.histogram", ["out", "stream", "overlapPrevious"], (o) => kernels.histogram(gpu.zeros("i32", [64]), 8, o)),
  "kernels.embedding": {
    good: () => [matrix(), gpu.zeros("i32", [3]), {}],
    call: (...a) => kernels.embedding(...(a as [Any, Any, Any])),
  },
  ...each("kernels.embedding", ["out", "debug", "stream", "overlapPrevious"], (o) =>
    kernels.embedding(matrix(), gpu.zeros("i32", [3]), o),
  ),
  "kernels.rotary": {
    good: () => [gpu.zeros("f32", [4, 2, 8]), gpu.zeros("f32", [4, 4]), gpu.zeros("f32", [4, 4]), {}],
    call: (...a) => kernels.rotary(...(a as [Any, Any, Any, Any])),
  },
  ...each("kernels.rotary", ["layout", "positions", "out", "debug", "stream", "overlapPrevious"], (o) =>
    kernels.rotary(gpu.zeros("f32", [4, 2, 8]), gpu.zeros("f32", [4, 4]), gpu.zeros("f32", [4, 4]), o),
  ),
  "kernels.sort": { good: () => [gpu.zeros("i32", [64]), {}], call: (...a) => kernels.sort(...(a as [Any, Any])) },
  ...each("kernels.sort", ["descending", "values", "out", "outValues", "stream", "overlapPrevious"], (o) =>
    kernels.sort(gpu.zeros("i32", [64]), o),
  ),
  "kernels.crossEntropy": {
    good: () => [matrix(), gpu.zeros("i32", [64]), {}],
    call: (...a) => kernels.crossEntropy(...(a as [Any, Any, Any])),
  },
  ...each("kernels.crossEntropy", ["logSumExp", ...memoryOptions], (o) =>
    kernels.crossEntropy(matrix(), gpu.zeros("i32", [64]), o),
  ),
  "kernels.cast": { good: () => [matrix(), "f32", {}], call: (...a) => kernels.cast(...(a as [Any, Any, Any])) },
  "kernels.map": { good: () => [{ x: matrix() }, twice, {}], call: (...a) => kernels.map(...(a as [Any, Any, Any])) },
  ...each("kernels.map", ["dtype", "out", "stream", "overlapPrevious"], (o) => kernels.map({ x: matrix() }, twice, o)),
  "kernels.kernelOf": {
    good: () => [kernels.softmax, matrix(), {}],
    call: (...a) => kernels.kernelOf(...(a as [Any, Any, Any])),
  },
  "kernels.matmul, an input": {
    good: () => [gpu.zeros("f32", [64])],
    call: (bias) => kernels.matmulKernel(matrix(), matrix(), { inputs: { bias }, epilogue: biased } as Any),
  },
  "kernel.at": { good: () => [spec()], call: (...a) => (fill as Any).at(...a) },
  "build.build": { good: () => [{ k: scaled() }, {}], call: (...a) => builds.build(...(a as [Any, Any])) },
  "build.build, an entry": { good: () => [scaled()], call: (entry) => builds.build({ k: entry }) },
  ...each("build.build, an entry,", ["open", "settled", "grid", "before", "after"], (o) =>
    builds.build({ k: { ...scaled(), ...definedOnly(o) } }),
  ),
  ...each("build.build", ["name"], (o) => builds.build({ k: scaled() }, o)),
  "build.write": {
    good: () => ["built", {}],
    call: (at, o) => written().write(typeof at === "string" && at !== "" ? join(folder, at) : at, o),
  },
  ...each("build.write", ["for", "cubin"], (o) => written().write(join(folder, "built"), { cubin: false, ...definedOnly(o) })),
  "runtime.loadBuilt": { good: () => [builtAt(), {}], call: (...a) => loadBuilt(...(a as [Any, Any])) },
  ...each("runtime.loadBuilt", ["id"], (o) => loadBuilt(builtAt(), o)),
  "BuiltKernel.launch": {
    good: () => [{}, vector(), 1],
    call: (...a) => launched(() => loadBuilt(builtAt()).kernels.k?.launch(...(a as [Any, ...Any[]]))),
  },
  ...each("BuiltKernel.launch", ["grid", "device", "stream", "overlapPrevious"], (o) =>
    launched(() => loadBuilt(builtAt()).kernels.k?.launch({ ...o, grid: few(o.grid) }, vector(), 1)),
  ),
  "ptx.loadPtx": { good: () => [saxpyPtx], call: (source) => ptx.loadPtx(source) },
  ...each("ptx.loadPtx", ["file"], (o) => ptx.loadPtx({ ...saxpyPtx, ...definedOnly(o) } as Any)),
  "ptx.scalar": { good: () => ["f32", 1], call: (...a) => ptx.scalar(...(a as [Any, Any])) },
  "ptx.struct": { good: () => [vector(), ptx.scalar("i32", 1)], call: (...a) => ptx.struct(...(a as [Any])) },
  "ptx.pointer": { good: () => [vector(), 4], call: (...a) => ptx.pointer(...(a as [Any, Any])) },
  "ptx.tensorMapBytes": { good: () => [new TMA(matrix(), { box: [8, 8] })], call: (map) => ptx.tensorMapBytes(map) },
  "module.entry": { good: () => ["saxpy"], call: (name) => loaded().entry(name) },
  "module.variable": { good: () => ["a", { device: gpu }], call: (...a) => loaded().variable(...(a as [Any, Any])) },
  ...each("module.variable", ["device", "dtype", "shape"], (o) => loaded().variable("a", { device: gpu, ...definedOnly(o) })),
  "entry.launch": {
    good: () => [{ grid: 1, block: 8 }, 8, vector(), vector()],
    call: (...a) =>
      launched(() =>
        loaded()
          .entry()
          .launch(...(a as [Any])),
      ),
  },
  ...each("entry.launch", ["grid", "block", "cluster", "smem", "device", "stream", "overlapPrevious", "cooperative"], (o) =>
    launched(() =>
      loaded()
        .entry()
        .launch({ grid: 1, block: 8, ...o } as Any, 8, vector(), vector()),
    ),
  ),
  "testing.assertClose": {
    good: () => [[1], [1], { rtol: 0, atol: 0 }],
    call: (...a) => testing.assertClose(...(a as [Any, Any, Any])),
  },
  ...each("testing.assertClose", ["rtol", "atol"], (o) => testing.assertClose([1], [1], { rtol: 0, atol: 0, ...o })),
  "testing.randn": { good: () => [4, 1], call: (n, seed) => testing.randn(few(n) as Any, seed) },
  "testing.referenceMatmul": {
    good: () => [[1], [1], { M: 1, N: 1, K: 1 }],
    call: (...a) => testing.referenceMatmul(...(a as [Any, Any, Any])),
  },
  ...each("testing.referenceMatmul", ["M", "N", "K"], (o) => testing.referenceMatmul([1], [1], { M: 1, N: 1, K: 1, ...o })),
};

/** What take no arguments; that they are the rest is checked below. */
const withoutArguments = ["device.dispose", "device.stream", "device.sync", "device.zeros", "graph.dispose", "stream.dispose"];
const alsoWithout = ["stream.sync", "tensor.address", "tensor.dispose", "tensor.read", "probeDevices"];

/** The error of a call, whether it throws or gives a promise that is rejected. */
async function refusal(run: () => unknown): Promise<unknown> {
  try {
    await run();
  } catch (error) {
    return error;
  }
  return undefined;
}

const isTold = (error: unknown): boolean =>
  error === undefined || (error instanceof Error && /^W\d{4}$/.test((error as Any).code));
const textOf = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? "").split("\n").slice(0, 3).join(" ") : String(error);

/** What went wrong with one argument after the other: nothing, where all is well. */
async function rawErrors(name: string, { good, call }: Call): Promise<readonly string[]> {
  const raw: string[] = [];
  const right = await refusal(() => call(...good()));
  if (!isTold(right)) raw.push(`${name} with good arguments: ${textOf(right)}`);
  for (let i = 0; i < good().length; i++)
    for (const [what, value] of wrongValues()) {
      const error = await refusal(() => call(...good().map((argument, j) => (i === j ? value : argument))));
      if (!isTold(error)) raw.push(`argument ${i} of ${name} is ${what}: ${textOf(error)}`);
    }
  return raw;
}

describe("host calls with something wrong in them", () => {
  it.each(Object.entries(calls))("%s", async (name, call) => {
    expect(await rawErrors(name, call)).toEqual([]);
  });

  it("every method of what the host holds is among them", () => {
    const held = { device: gpu, stream: gpu.stream(), tensor: vector(), graph: gpu.capture(() => {}) };
    const methods = Object.entries(held).flatMap(([name, object]) => [
      ...methodsOf(Object.getPrototypeOf(object)).map((method) => `${name}.${method}`),
    ]);
    const others = ["tensor.order", "tensor.memory", "tensor.room", "tensor.readBytes", "stream.check", "stream.follow"];
    const tried = new Set([...Object.keys(calls), ...withoutArguments, ...alsoWithout, ...others]);
    expect([...methods, ...methodsOf(fill).map((method) => `kernel.${method}`)].filter((name) => !tried.has(name))).toEqual([]);
    for (const [room, module] of Object.entries({ arrays, kernels, ptx, testing }))
      for (const name of methodsOf(module)) expect(tried).toContain(`${room}.${name}`);
  });
});

/** Functions of the package that are meant for kernels, called on the host: with a code, or as JavaScript reads them. */
describe("what belongs in kernels, called on the host", () => {
  // Errors are made by the package, and recognised by their class.
  const tried = new Set([...Object.keys(calls), ...alsoWithout, "WarpsmithError"]);
  const functions = [...functionsIn("", warpsmith)].filter(([name]) => !tried.has(name));
  it("are many", () => expect(functions.length).toBeGreaterThan(60));
  it.each(functions)("%s", async (name, f) => {
    const raw: string[] = [];
    for (const count of [0, 1, 2, 3])
      for (const [what, value] of wrongValues()) {
        const given = new Array(count).fill(value);
        const error = await refusal(() => (/^class\b/.test(String(f)) ? Reflect.construct(f, given) : f(...given)));
        if (!isTold(error)) raw.push(`${count} arguments of ${name}, each ${what}: ${textOf(error)}`);
      }
    expect(raw).toEqual([]);
  });
});

function methodsOf(object: object): string[] {
  return Object.entries(Object.getOwnPropertyDescriptors(object))
    .filter(([name, { value }]) => typeof value === "function" && name !== "constructor")
    .map(([name]) => name);
}

/** Exported functions, and those of exported objects. */
function* functionsIn(prefix: string, object: object): Generator<readonly [name: string, f: (...args: unknown[]) => unknown]> {
  for (const [name, value] of Object.entries(object)) {
    if (typeof value === "function") yield [prefix + name, value];
    if ((typeof value === "object" && value !== null) || typeof value === "function")
      yield* functionsIn(`${prefix}${name}.`, value);
  }
}
