import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadArray, loadArrays, readArray, readArrays, writeArrays } from "warpsmith/arrays";
import { build } from "warpsmith/build";
import { loadPtx } from "warpsmith/ptx";
import { loadBuilt } from "warpsmith/runtime";
import {
  alloc,
  drawBanks,
  drawBuffer,
  drawTimeline,
  type LoopRef,
  printProgram,
  program,
  programKernel,
  Schedule,
  tensorCorePipeline,
  tensorCoreResources,
  tensorIntrinsic,
  tune,
} from "warpsmith/schedule";
import { warpsmith } from "../../src/entries/plugin.ts";
import {
  asyncCopy,
  autotune,
  BlockedLayout,
  cluster,
  type Device,
  DotOperandLayout,
  explicit,
  fence,
  forRange,
  helper,
  kernel,
  LinearLayout,
  Mbarriers,
  NVMMASharedLayout,
  openDevice,
  PaddedSharedLayout,
  Pipeline,
  ptx,
  range,
  SwizzledSharedLayout,
  sharedMemory,
  type Tensor,
  TileScheduler,
  TMA,
  tensorSpec,
  tile,
  tma,
  WGMMALayout,
  WGMMAMatrix,
  WMMAMatrix,
  warpgroup,
} from "../../src/index.ts";
import * as kernels from "../../src/kernels/index.ts";
import {
  attention,
  attentionDecode,
  attentionDecodeKernel,
  attentionKernel,
  attentionMask,
  attentionVarlen,
  attentionVarlenKernel,
  gatedMatmul,
  gatedMatmulKernel,
  kernelOf,
  matmul,
  matmulKernel,
} from "../../src/kernels/index.ts";
import { assertClose, referenceMatmul } from "../../src/tools/testing/index.ts";
import { programOf } from "../schedule/program-of.ts";
import { rotating } from "../support/amount.ts";
import { hiddenParameters, optionTakers } from "./takers.ts";

/** Options, right or wrong: types are what this is not about. */
// biome-ignore lint/suspicious/noExplicitAny: see above
type Any = any;
type Call = (options: Any) => unknown;

/** A call in a kernel, and the options that it cannot do without. */
interface InKernel {
  readonly needs?: object;
  call(
    options: Any,
    given: { readonly x: Any; readonly map: Any; readonly tile: Any; readonly bar: Any; readonly room: Any },
  ): unknown;
}

const words = (): Any => sharedMemory.alloc("i32", [4]);
const row = (): Any => sharedMemory.alloc("f32", [4]);
const place = (x: Any): Any => x.at(0);
const accumulator = () => WGMMAMatrix.accumulator("f32", [64, 64]);
const operand = (tile: Any) => WGMMAMatrix.descriptor(tile, [64, 64]);
const pipe = () => new Pipeline({ stages: 2 });

const inKernel: Readonly<Record<string, InKernel>> = {
  "Accumulator.mma": { call: (o, { tile }) => accumulator().mma(operand(tile), operand(tile), o) },
  "ConsumerStage.release": { call: (o) => pipe().consumer().release(o) },
  "Mbarrier.arrive": { call: (o, { bar }) => bar.arrive(o) },
  "an mbarrier of a peer": { call: (o, { bar }) => (cluster.map(bar, 1) as Any).arrive(o) },
  Pipeline: { needs: { stages: 2 }, call: (o) => new Pipeline(o) },
  "Pipeline.init": { call: (o) => pipe().init(o) },
  "Place.atomic": { call: (o, { x }) => place(x).atomic("add", 1, o) },
  "Place.compareAndSwap": { call: (o, { x }) => place(x).compareAndSwap(0, 1, o) },
  "Place.load": { call: (o, { x }) => place(x).load(o) },
  "Place.prefetch": { call: (o, { x }) => place(x).prefetch(o) },
  "Place.reduce": { call: (o, { x }) => place(x).reduce("add", 1, o) },
  "Place.store": { call: (o, { x }) => place(x).store(1, o) },
  "ProducerStage.commit": { call: (o) => pipe().producer().commit(o) },
  "TMA.load": { call: (o, { map, tile, bar }) => map.load(tile, bar, [0, 0], o) },
  "TMA.prefetchBox": { call: (o, { map }) => map.prefetchBox([0, 0], o) },
  "TMA.reduce": { call: (o, { map, tile }) => map.reduce("add", tile, [0, 0], o) },
  "TMA.replace": { call: (o, { map, room }) => map.at(room).replace(o) },
  "TMA.store": { call: (o, { map, tile }) => map.store(tile, [0, 0], o) },
  "SharedView.reduce": {
    call: (o, { x }) => {
      const t = (x as Any).loadTile([0], [32]);
      sharedMemory.alloc(tile.info(t).dtype as "f32", [32]).reduce("add", t, o);
    },
  },
  "Tensor.loadTile": { call: (o, { x }) => (x as Any).loadTile([0], [32], undefined, o) },
  "Tensor.reduceTile": { call: (o, { x }) => (x as Any).reduceTile("add", [0], (x as Any).loadTile([0], [32]), o) },
  "Tensor.storeTile": { call: (o, { x }) => (x as Any).storeTile([0], (x as Any).loadTile([0], [32]), o) },
  "tile.histogram": {
    call: (o) => tile.histogram(tile.arange(32), 32, o),
  },
  "tile.scan": { call: (o, { x }) => tile.scan((x as Any).loadTile([0], [32]), 0, (a: number) => a, o) },
  TileScheduler: { call: (o) => new TileScheduler([2, 2], o) },
  "WGMMAMatrix.accumulator": { call: (o) => WGMMAMatrix.accumulator("f32", [64, 64], o) },
  "WGMMAMatrix.descriptor": { call: (o, { tile }) => WGMMAMatrix.descriptor(tile, [64, 64], o) },
  "WGMMAMatrix.sparse": { call: (o, { tile }) => WGMMAMatrix.sparse(tile, tile, o) },
  "WGMMAMatrix.load": { call: (o, { tile }) => WGMMAMatrix.load(tile, o) },
  "WMMAMatrix.load": { call: (o, { tile }) => WMMAMatrix.load("a", tile.subview([0, 0], [16, 16]), o) },
  "asyncCopy.arrive": { call: (o, { bar }) => asyncCopy.arrive(bar, o) },
  "asyncCopy.copy": { call: (o, { x }) => asyncCopy.copy(place(row()), place(x), o) },
  "asyncCopy.load": { call: (o, { x }) => asyncCopy.load(row(), x, o) },
  "asyncCopy.reduce": { call: (o, { bar }) => asyncCopy.reduce("add", words().at(0), 1, bar, 1, o) },
  "asyncCopy.store": { call: (o, { bar }) => asyncCopy.store(words().at(0), 1, bar, 1, o) },
  "cluster.arrive": { call: (o) => cluster.arrive(o) },
  "fence.proxyAsync": { call: (o) => fence.proxyAsync(o) },
  forRange: { call: (o) => forRange(0, 4, 0, (_, s) => s, o) },
  ptx: { call: (o) => ptx("nanosleep.u32 1;", o) },
  range: { call: (o) => range(4, o) },
  "sharedMemory.alloc": { call: (o) => sharedMemory.alloc("f32", [4], o) },
  "sharedMemory.dynamic": { needs: { at: 0 }, call: (o) => sharedMemory.dynamic("f32", [4], o) },
  "tma.bulkCopy": { call: (o, { bar }) => tma.bulkCopy(row(), row(), bar, 1, o) },
  "tma.bulkLoad": { call: (o, { x, bar }) => tma.bulkLoad(row(), x, bar, o) },
  "tma.bulkPrefetch": { call: (o, { x }) => tma.bulkPrefetch(x, o) },
  "tma.bulkReduce": { call: (o, { x }) => tma.bulkReduce("add", x, row(), o) },
  "tma.bulkStore": { call: (o, { x }) => tma.bulkStore(x, row(), o) },
  "tma.wait": { call: (o) => tma.wait(0, o) },
  "a partition": { needs: { run: () => {} }, call: (only) => warpgroup.specialize({ only }) },
};

const spec = tensorSpec("f16", [64, 64]);
const map = { box: [64, 64], swizzle: "128B" } as const;

/** Compiles a kernel that makes that call. */
const compiled = (call: InKernel["call"], options: Any): unknown =>
  kernel(
    { block: 128, cluster: 2, smem: 1024, params: ["tensor", "tma", "tensor"] },
    explicit((x: Tensor<"f32", 1>, m: Any, room: Any) => {
      const tile = sharedMemory.alloc("f16", [64, 64], { swizzle: "128B" });
      call(options, { x, map: m, tile, bar: new Mbarriers(1).at(0), room });
    }),
  ).compile(tensorSpec("f32", [4]), new TMA(spec, map), tensorSpec("u8", [128]));

let gpu: Device;
beforeAll(async () => {
  gpu = await openDevice("emulator");
});
afterAll(() => gpu.dispose());

const fill = kernel(
  { block: 32, grid: 1, params: ["tensor"] },
  explicit((x: Any) => x.at(0).store(1)),
);
const relu = helper((x: number) => Math.max(x, 0));
const matrix = () => gpu.zeros("f16", [64, 64]);
const heads = () => gpu.zeros("f16", [1, 1, 64, 64]);
const queries = () => gpu.zeros("f16", [1, 1, 64]);
const begins = () => gpu.zeros("i32", [2]);
/** Options of attentionVarlen: the begins of sequences are made when there is a device. */
const packed = (o: Any): Any => (typeof o === "object" && o !== null ? { cuSeqlens: begins(), ...o } : o);
const seesAll = (query: number): boolean => {
  "use kernel";
  return query >= 0;
};
const angles = () => gpu.zeros("f32", [8, 32]);
const line = () => gpu.zeros("f16", [64]);
const empty = explicit(() => {});
const doubled = () =>
  programOf(`import { block, type Buffer, grid, program, spatial } from "warpsmith/schedule";
export const doubled = program({ X: [16] }, function doubled(X: Buffer<"f32", 1>) {
  for (const i of grid(16)) block("double", { vi: spatial(i) }, ({ vi }) => { X[vi] *= 2; });
});`);
const loopOf = (step: (sch: Schedule, loop: LoopRef) => unknown): unknown => {
  const sch = new Schedule(doubled());
  return step(sch, sch.getLoops(sch.getBlock("double"))[0] as LoopRef);
};

const builtFolder = mkdtempSync(join(tmpdir(), "built-"));
afterAll(() => rmSync(builtFolder, { recursive: true }));
const built = build({ fill: fill.at(tensorSpec("f32", [32]) as Any) });
built.write(builtFolder, { cubin: false });
const saxpyPtx: Any = loadPtx({ file: "examples/ptx/saxpy.ptx" });

const blocked = { perThread: [1], threads: [32], warps: [1] };

/** Nothing is written there: the options are wrong. */
const arrayFile = "test/unit/tools/arrays/fixtures/f4.npy";

const onHost: Readonly<Record<string, { readonly needs?: object; readonly call: Call }>> = {
  build: { call: (o) => build({ fill: fill.at(tensorSpec("f32", [32]) as Any) }, o) },
  "Build.write": { call: (o) => built.write(builtFolder, o) },
  loadBuilt: { call: (o) => loadBuilt(builtFolder, o) },
  "BuiltKernel.launch": { call: (o) => loadBuilt(builtFolder).kernels.fill?.launch(o, gpu.zeros("f32", [32])) },
  "Device.tensorAt": { call: (o) => gpu.tensorAt("f32", [4], matrix().address(), o) },
  loadArray: { call: (o) => loadArray(gpu, arrayFile, o) },
  loadArrays: { call: (o) => loadArrays(gpu, arrayFile, o) },
  readArray: { call: (o) => readArray(arrayFile, o) },
  readArrays: { call: (o) => readArrays(arrayFile, o) },
  writeArrays: { call: (o) => writeArrays("never.npz", { x: Float32Array.of(1) }, o) },
  "Graph.launch": {
    call: (o) => {
      const x: Any = gpu.zeros("f32", [1]);
      return gpu.capture(() => fill.launch({}, x)).launch(o);
    },
  },
  "Compiled.report": { call: (o) => fill.compile(tensorSpec("f32", [1])).report(o) },
  "Kernel.profile": { call: (o) => fill.profile(o, gpu.zeros("f32", [1])) },
  "Profile.toPicture": { call: async (o) => (await fill.profile({}, gpu.zeros("f32", [1]))).toPicture(o) },
  "AttentionKernel.kernel.profile": { call: (o) => (attentionKernel(heads(), heads(), heads()).kernel as Any).profile(o) },
  "AttentionDecodeKernel.kernel.profile": {
    call: (o) => (attentionDecodeKernel(queries(), heads(), heads()).kernel as Any).profile(o),
  },
  "MatmulKernel.kernel.profile": { call: (o) => (matmulKernel(matrix(), matrix()).kernel as Any).profile(o) },
  "ReadyKernel.kernel.profile": { call: (o) => (kernelOf(kernels.softmax as Any, matrix()).kernel as Any).profile(o) },
  "TunedKernel.profile": { call: (o) => autotune([1], () => fill).profile(o, gpu.zeros("f32", [1])) },
  "Kernel.bench": { call: (o) => fill.bench(o, gpu.zeros("f32", [1])) },
  "Kernel.launch": { call: (o) => fill.launch(o, gpu.zeros("f32", [1])) },
  "AttentionKernel.kernel.bench": { call: (o) => (attentionKernel(heads(), heads(), heads()).kernel as Any).bench(o) },
  "AttentionKernel.kernel.launch": { call: (o) => (attentionKernel(heads(), heads(), heads()).kernel as Any).launch(o) },
  "AttentionDecodeKernel.kernel.bench": {
    call: (o) => (attentionDecodeKernel(queries(), heads(), heads()).kernel as Any).bench(o),
  },
  "AttentionDecodeKernel.kernel.launch": {
    call: (o) => (attentionDecodeKernel(queries(), heads(), heads()).kernel as Any).launch(o),
  },
  attentionDecode: { call: (o) => attentionDecode(queries(), heads(), heads(), o) },
  attentionDecodeKernel: { call: (o) => attentionDecodeKernel(queries(), heads(), heads(), o) },
  attention: { call: (o) => attention(heads(), heads(), heads(), o) },
  attentionKernel: { call: (o) => attentionKernel(heads(), heads(), heads(), o) },
  attentionVarlen: { call: (o) => attentionVarlen(queries(), queries(), queries(), packed(o)) },
  attentionVarlenKernel: { call: (o) => attentionVarlenKernel(queries(), queries(), queries(), packed(o)) },
  "AttentionVarlenKernel.kernel.bench": {
    call: (o) => (attentionVarlenKernel(queries(), queries(), queries(), { cuSeqlens: begins() }).kernel as Any).bench(o),
  },
  "AttentionVarlenKernel.kernel.launch": {
    call: (o) => (attentionVarlenKernel(queries(), queries(), queries(), { cuSeqlens: begins() }).kernel as Any).launch(o),
  },
  attentionMask: { needs: { queries: 64, keys: 64 }, call: (o) => attentionMask(gpu, seesAll, o) },
  "AttentionOptions.mask.update": { call: (o) => attentionMask(gpu, seesAll, { queries: 64, keys: 64 }).update(o) },
  "MatmulKernel.kernel.bench": { call: (o) => (matmulKernel(matrix(), matrix()).kernel as Any).bench(o) },
  "MatmulKernel.kernel.launch": { call: (o) => (matmulKernel(matrix(), matrix()).kernel as Any).launch(o) },
  "Plugins.vite": { call: (o) => warpsmith.vite(o) },
  "Plugins.rollup": { call: (o) => warpsmith.rollup(o) },
  "Plugins.rolldown": { call: (o) => warpsmith.rolldown(o) },
  "Plugins.esbuild": { call: (o) => warpsmith.esbuild(o) },
  "Plugins.webpack": { call: (o) => warpsmith.webpack(o).apply({ options: {} }) },
  "Plugins.rspack": { call: (o) => warpsmith.rspack(o).apply({ options: {}, rspack: { rspackVersion: "1.0.0" } }) },
  "PtxEntry.launch": { call: (o) => saxpyPtx.entry().launch(o) },
  "PtxModule.variable": { call: (o) => saxpyPtx.variable("a", o) },
  BlockedLayout: { needs: blocked, call: (o) => new BlockedLayout(o) },
  "BlockedLayout.bankConflicts": {
    needs: { dtype: "f32", shape: [32] },
    call: (o) => new BlockedLayout(blocked).bankConflicts(new PaddedSharedLayout({ every: 32, by: 1 }), o),
  },
  NVMMASharedLayout: { needs: { swizzle: "128B", dtype: "f16" }, call: (o) => new NVMMASharedLayout(o) },
  PaddedSharedLayout: { needs: { every: 32, by: 1 }, call: (o) => new PaddedSharedLayout(o) },
  SwizzledSharedLayout: { needs: { vector: 8, perPhase: 1, maxPhase: 8 }, call: (o) => new SwizzledSharedLayout(o) },
  DotOperandLayout: { needs: { parent: new WGMMALayout(), kWidth: 2 }, call: (o) => new DotOperandLayout(o) },
  LinearLayout: {
    needs: { register: [], lane: [[1], [2], [4], [8], [16]], warp: [], shape: [32] },
    call: (o) => new LinearLayout(o),
  },
  WGMMALayout: { call: (o) => new WGMMALayout(o) },
  TMA: { needs: map, call: (o) => new TMA(spec, o) },
  "TMA.im2col": {
    needs: { lower: [0, 0], upper: [0, 0], channels: 8, pixels: 8 },
    call: (o) => TMA.im2col(tensorSpec("f16", [1, 8, 8, 8]), o),
  },
  alloc: {
    call: (o) =>
      program({}, () => {
        alloc("f32", [4], "shared", o);
      }),
  },
  printProgram: { call: (o) => printProgram(doubled(), o) },
  programKernel: { call: (o) => programKernel(doubled(), o) },
  drawBuffer: { call: (o) => drawBuffer(doubled(), "X", o) },
  drawBanks: { call: (o) => drawBanks(doubled(), "X", o) },
  drawTimeline: { call: (o) => drawTimeline(doubled(), "i", o) },
  "Schedule.print": { call: (o) => new Schedule(doubled()).print(o) },
  "Schedule.kernel": { call: (o) => new Schedule(doubled()).kernel(o) },
  "Schedule.peel": { call: (o) => loopOf((sch, loop) => sch.peel(loop, o)) },
  "Schedule.pipeline": { needs: { stages: [0] }, call: (o) => loopOf((sch, loop) => sch.pipeline(loop, o)) },
  "Schedule.warpSpecialize": { needs: { stages: 2 }, call: (o) => loopOf((sch, loop) => sch.warpSpecialize(loop, o)) },
  tensorCorePipeline: {
    needs: { tile: [16, 16, 16], workgroup: [32, 1, 1], depth: 1, storeStage: 1 },
    call: (o) => tensorCorePipeline(doubled(), o),
  },
  tune: { call: (o) => tune({ depth: [1] }, () => new Schedule(doubled()), o as never) },
  tensorCoreResources: {
    needs: { tile: [16, 16, 16], workgroup: [32, 1, 1], depth: 1, storeStage: 1 },
    call: (o) => tensorCoreResources(doubled(), o),
  },
  tensorIntrinsic: {
    needs: { description: {}, implementation: () => {}, participants: "warp" },
    call: (o) => tensorIntrinsic("an intrinsic of this test", o),
  },
  assertClose: { needs: { rtol: 0, atol: 0 }, call: (o) => assertClose([1], [1], o) },
  autotune: { call: (o) => autotune([1], () => fill, o) },
  "TunedKernel.bench": { call: (o) => autotune([1], () => fill).bench(o, gpu.zeros("f32", [1])) },
  "TunedKernel.launch": { call: (o) => autotune([1], () => fill).launch(o, gpu.zeros("f32", [1])) },
  kernel: { needs: { block: 32 }, call: (o) => kernel(o, empty) },
  "a decorator": { needs: { block: 32 }, call: (o) => kernel(o) },
  matmul: { needs: { epilogue: relu }, call: (o) => matmul(matrix(), matrix(), o) },
  matmulKernel: { call: (o) => matmulKernel(matrix(), matrix(), o) },
  gatedMatmul: { call: (o) => gatedMatmul(matrix(), matrix(), matrix(), o) },
  gatedMatmulKernel: { call: (o) => gatedMatmulKernel(matrix(), matrix(), matrix(), o) },
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
    ).map((name) => [name, { call: (o: Any) => (kernels[name] as Any)(matrix(), o) }]),
  ),
  rmsNorm: { call: (o) => kernels.rmsNorm(matrix(), line(), o) },
  layerNorm: { call: (o) => kernels.layerNorm(matrix(), line(), o) },
  topK: { call: (o) => kernels.topK(matrix(), 3, o) },
  sample: { needs: { seed: 1 }, call: (o) => kernels.sample(matrix(), o) },
  histogram: { call: (o) => kernels.histogram(gpu.zeros("i32", [64]), 8, o) },
  embedding: { call: (o) => kernels.embedding(matrix(), gpu.zeros("i32", [3]), o) },
  rotary: { call: (o) => kernels.rotary(gpu.zeros("f16", [8, 2, 64]), angles(), angles(), o) },
  sort: { call: (o) => kernels.sort(gpu.zeros("i32", [64]), o) },
  crossEntropy: { call: (o) => kernels.crossEntropy(matrix(), gpu.zeros("i32", [64]), o) },
  add: { call: (o) => kernels.add(matrix(), matrix(), o) },
  siluMul: { call: (o) => kernels.siluMul(matrix(), matrix(), o) },
  geluMul: { call: (o) => kernels.geluMul(matrix(), matrix(), o) },
  cast: { call: (o) => kernels.cast(matrix(), "f32", o) },
  map: { call: (o) => kernels.map({ x: matrix() }, relu as Any, o) },
  "ReadyKernel.kernel.bench": { call: (o) => (kernelOf(kernels.softmax as Any, matrix()).kernel as Any).bench(o) },
  "ReadyKernel.kernel.launch": { call: (o) => (kernelOf(kernels.softmax as Any, matrix()).kernel as Any).launch(o) },
  openDevice: { needs: { threads: 1 }, call: (o) => openDevice("emulator", o) },
  referenceMatmul: { needs: { M: 1, N: 1, K: 1 }, call: (o) => referenceMatmul([1], [1], o) },
};

/** What takes data and no options, what gives data to a function of the host's, and kernels of programs, whose launches are those of every kernel. */
const notOptions = [
  "Schedule",
  "Schedule.replay",
  "loweringStages",
  "AnyKernel.launch",
  "AnyKernel.bench",
  "AnyKernel.profile",
  "ProfileConfig.latency",
];

/** The error of a call, whether it throws or gives a promise that is rejected. */
async function refusal(run: () => unknown): Promise<unknown> {
  try {
    await run();
  } catch (error) {
    return error;
  }
  return undefined;
}

const all: readonly (readonly [name: string, needs: object, call: Call])[] = [
  ...Object.entries(onHost).map(([name, { needs = {}, call }]) => [name, needs, call] as const),
  ...Object.entries(inKernel).map(([name, { needs = {}, call }]) => [name, needs, (o: Any) => compiled(call, o)] as const),
];

describe("options that there are not", () => {
  it.each(all)("%s", async (_, needs, call) => {
    const unknown = await refusal(() => call({ ...needs, anotherName: 1 }));
    expect(unknown).toMatchObject({ code: "W2601", sentence: expect.stringContaining("`anotherName`") });
    const none = await refusal(() => call(null));
    expect(["W2602", "W4019"]).toContain((none as { code?: string } | undefined)?.code);
  });
});

// It takes the types of the whole package.
it("every parameter of the public API that takes options is among them", rotating, () => {
  // It takes those of JavaScript's own errors.
  const others = new Set(["WarpsmithError", ...notOptions]);
  const tried = new Set(all.map(([name]) => name));
  const asTried = (name: string): string =>
    name
      .replace("BenchConfig.device.", "Device.")
      .replace("TensorCorePipeline.schedule.", "Schedule.")
      .replace(/MatmulKernel\.(copy|combine)\.kernel\./, "Kernel.")
      .replace("KernelAt.kernel.", "Kernel.")
      .replace("TuneResult.kernel.", "TunedKernel.");
  expect([...optionTakers()].filter((name) => !tried.has(asTried(name)) && !others.has(name))).toEqual([]);
});

it("methods take no arguments beside those that their types show: a surplus one would go there", rotating, () => {
  expect(hiddenParameters()).toEqual([]);
});
