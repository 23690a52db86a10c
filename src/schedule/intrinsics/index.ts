/** Tensor intrinsics, those that are built in among them. */
import "./tma.ts";
import "./tma-store.ts";
import "./wgmma.ts";
import "./wgmma-families.ts";
import "./wmma.ts";

export type { Lines } from "./describe.ts";
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
export { type WMMAProduct, wmmaInputs, wmmaNames, wmmaProductOf } from "./wmma.ts";
