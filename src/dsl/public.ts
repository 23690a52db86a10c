/** What authors write kernels with. */
export { cluster } from "./cluster/index.ts";
export { fence, namedBarrier, syncThreads, syncWarp } from "./fence.ts";
export { blockDim, blockIdx, gridDim, type LaunchIds, threadIdx } from "./launch-ids.ts";
export { type Mbarrier, Mbarriers } from "./mbarrier/index.ts";
export { type AtomicOp, type Indices, type LoadOptions, type Order, type Place, type Scope, type SharedView, sharedMemory, type StoreOptions, type Tensor } from "./memory/index.ts";
export { type LoopOptions, range, staticRange } from "./range.ts";
export { type CacheHint, type Im2colOptions, type ReduceOp, TMA, type TMAOptions, tma } from "./tma/index.ts";
