export { bindTensor } from "./bind-tensor.ts";
export type { CacheHint, CachePolicy, FractionalPolicy } from "./cache-hint.ts";
export { sharedMemory, sharedPool } from "./shared-memory.ts";
export type {
  AtomicOp,
  Eviction,
  Indices,
  LoadOptions,
  Order,
  Place,
  PlaceReduceOp,
  Scope,
  SharedView,
  StoreOptions,
  Tensor,
  ViewReduceOptions,
} from "./types.ts";
