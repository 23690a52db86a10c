/** What authors write kernels with. */

export { helper } from "./calls/helper.ts";
export { assert, assume } from "./control/assert.ts";
export { type LoopOptions, range, staticRange } from "./control/range.ts";
export { type AsyncCopyOptions, asyncCopy, type PlaceCopyOptions, type RemoteReduceOp } from "./copies/index.ts";
export { explicit, expr, forRange, logical, type Scalar, type ScalarMethods, select, when, whileLoop } from "./explicit.ts";
export { bits, cdiv, erf, erfc, fast, fma } from "./math/index.ts";
export {
  type AtomicOp,
  type CacheHint,
  type CachePolicy,
  type Eviction,
  type FractionalPolicy,
  type Indices,
  type LoadOptions,
  type Order,
  type Place,
  type PlaceReduceOp,
  type Scope,
  type SharedView,
  type StoreOptions,
  sharedMemory,
  type Tensor,
  type ViewReduceOptions,
} from "./memory/index.ts";
export { bf16, bitcast, bool, e4m3, e5m2, f16, f32, f64, i8, i16, i32, i64, u8, u16, u32, u64 } from "./numbers/conversions.ts";
export { type ConsumerStage, Pipeline, type PipelineOptions, type ProducerStage } from "./pipeline/index.ts";
export { profile } from "./profile/index.ts";
export { type PtxOperand, type PtxOptions, type PtxResult, type PtxTypes, ptx } from "./ptx/index.ts";
export {
  fence,
  grid,
  gridDependency,
  type Mbarrier,
  Mbarriers,
  type NamedBarrier,
  namedBarrier,
  syncThreads,
  syncWarp,
} from "./sync/index.ts";
export {
  block,
  blockDim,
  blockIdx,
  cluster,
  gridDim,
  type LaunchIds,
  type Partition,
  threadIdx,
  warp,
  warpgroup,
} from "./threads/index.ts";
export { type Tile, type TileIndex, TileScheduler, type TileSchedulerOptions } from "./tile-scheduler/index.ts";
export * from "./tiles/index.ts";
export { type Im2colOptions, type MapChanges, type ReduceOp, TMA, type TMAOptions, tma } from "./tma/index.ts";
export {
  type Accumulator,
  type AccumulatorType,
  type Operand,
  WGMMAMatrix,
  wgmma,
} from "./wgmma/index.ts";
export {
  type WMMAAccumulator,
  type WMMAAccumulatorType,
  WMMAMatrix,
  type WMMAOperand,
  type WMMAShape,
} from "./wmma/index.ts";
/**
 * A trace-time constant in a kernel's parameter list; part of the compiled kernel's identity. Any JavaScript value.
 *
 * @example
 * ```ts
 * const shift = kernel({ block: 32, grid: 1 }, (x: Tensor<"i32", 1>, by: Static<number>) => {
 *   x[threadIdx.x] = x[threadIdx.x]! + by; // each value of `by` is a kernel of its own
 * });
 * ```
 */
export type Static<T> = T;
