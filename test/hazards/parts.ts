/** What many of the pairs need and none is about. */
import { fence, type Mbarrier, Mbarriers, syncThreads, threadIdx } from "warpsmith";

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

export const count = (n: number): number[] => Array.from({ length: n }, (_, i) => i);
