export { cluster } from "./cluster.ts";
export { block } from "./collective.ts";
export { blockDim, blockIdx, gridDim, type LaunchIds, threadIdx } from "./launch-ids.ts";
export { warp } from "./warp.ts";
export { type Partition, warpgroup } from "./warpgroup.ts";
