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

export function count(n: number): number[] {
  const numbers: number[] = [];
  for (let i = 0; i < n; i++) numbers.push(i);
  return numbers;
}

/** Whole numbers around zero: every sum of their products is exact. */
export const small = (n: number): number[] => count(n).map((e) => ((e * 7) % 5) - 2);

/** Of each tile of 64 × 64 the product with its own transpose, all of them added up. */
export function squares(x: readonly number[]): number[] {
  return count(4096).map((e) => {
    const [r, c] = [(e >> 6) * 64, (e & 63) * 64];
    let sum = 0;
    for (let tile = 0; tile < x.length; tile += 4096)
      for (let k = 0; k < 64; k++) sum += (x[tile + r + k] ?? 0) * (x[tile + c + k] ?? 0);
    return sum;
  });
}
