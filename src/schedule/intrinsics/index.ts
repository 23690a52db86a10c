/** Tensor intrinsics, those that are built in among them. */
import "./wmma.ts";

export { checkIntrinsic } from "./check.ts";
export {
  intrinsicOf,
  type Participants,
  type RegisterTile,
  type TensorIntrinsic,
  type TensorIntrinsicParts,
  tensorIntrinsic,
  tensorIntrinsics,
} from "./registry.ts";
