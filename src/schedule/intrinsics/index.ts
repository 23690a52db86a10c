/** Tensor intrinsics, those that are built in among them. */
import "./wgmma.ts";
import "./wmma.ts";

export {
  intrinsicOf,
  type Participants,
  type RegisterTile,
  type TensorIntrinsic,
  type TensorIntrinsicParts,
  tensorIntrinsic,
  tensorIntrinsics,
} from "./registry.ts";
