/** What several cases need and none is about. */
import { syncThreads, type Tensor, threadIdx } from "warpsmith";

/** Every block of the grid is here: a barrier in global memory. */
export function meet(ready: Tensor<"i32", 1>, blocks: number): void {
  "use kernel";
  syncThreads();
  if (threadIdx.x === 0) {
    ready.at(0).atomic("add", 1, { order: "acq_rel" });
    while (ready.at(0).loadAcquire() < blocks) {}
  }
  syncThreads();
}
