export { sharedMemory } from "./shared-memory.ts";
export { bindTensor } from "./tensor.ts";
export type {
  AtomicOp,
  Indices,
  LoadOptions,
  Order,
  Place,
  Scope,
  SharedView,
  StoreOptions,
  Tensor,
} from "./types.ts";
