/** Tensor intrinsics, those that are built in among them. */
import "./tma.ts";
import "./tma-store.ts";
import "./wgmma.ts";
import "./wgmma-families.ts";

export type { Lines } from "./describe.ts";
export { mmaFamily } from "./mma.ts";
export {
  intrinsicOf,
  type Participants,
  type RegisterTile,
  type Surroundings,
  type TensorIntrinsic,
  type TensorIntrinsicParts,
  tensorIntrinsic,
  tensorIntrinsics,
} from "./registry.ts";
export { mapFor, paddedMapFor } from "./tma.ts";
export {
  inputsOf,
  type ProductFamily,
  productNames,
  type WarpProduct,
  warpProductOf,
} from "./warp-products.ts";
export { wmmaFamily } from "./wmma.ts";
