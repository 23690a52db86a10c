/** What many of the pairs need and none is about. */
import { fence, type Mbarrier, Mbarriers, syncThreads, type Tensor, threadIdx } from "warpsmith";

/** A barrier that every thread may use. */
export function oneBarrier(arrivals: number): Mbarrier {
  "use kernel";
  const bar = new Mbarriers(1).at(0);
  if (threadIdx.x === 0) {
    bar.init(arrivals);
    fence.mbarrierInit();
  }
  syncThreads();
  return bar;
}

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

export const count = (n: number): number[] => Array.from({ length: n }, (_, i) => i);
