/** Tensor intrinsics, those that are built in among them. */
import "./tma.ts";
import "./tma-store.ts";
import "./wgmma.ts";
import "./wgmma-families.ts";
import { tensorIntrinsics } from "./registry.ts";

/** The names of those that there are before a program has asked for a member of a family, or registered its own. */
export const builtInIntrinsics: readonly string[] = tensorIntrinsics();

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
