import type { DeviceTensor, TensorSpec } from "warpsmith";

/** [heads, length, 128], on a device or described. */
export type Heads = DeviceTensor<"f16", 3> | TensorSpec<"f16", 3>;
