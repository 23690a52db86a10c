import type { DeviceTensor, TensorSpec } from "warpsmith";

/** A matrix on a device, or what stands in for it where a kernel is only compiled. */
export type Matrix = DeviceTensor<"f16", 2> | TensorSpec<"f16", 2>;
