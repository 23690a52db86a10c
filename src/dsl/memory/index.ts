export { objectOf, sharedMemory } from "./shared-memory.ts";
export { SharedViewObject } from "./shared-view.ts";
export { bindTensor, TensorObject } from "./tensor.ts";
export type {
  AtomicOp,
  Index,
  Indexed,
  Indices,
  LoadOptions,
  Order,
  Place,
  Scope,
  SharedView,
  StoreOptions,
  Tensor,
  Vector,
} from "./types.ts";
