/** What many of the pairs need and none is about. */
import { fence, type Mbarrier, Mbarriers, syncThreads, threadIdx } from "warpsmith";
import { input, mapOf, output } from "../cases/case.ts";
import { count } from "../cases/numbers.ts";

export { count } from "../cases/numbers.ts";
export { meet } from "../cases/parts.ts";

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

/** A map of two rows of 128, and what a kernel leaves that takes the first of them, or adds the two. */
export function twoRows(data: readonly number[]) {
  const map = () => mapOf(input("i32", [2, 128], data), { box: [1, 128] });
  const sums = count(128).map((c) => (data[c] ?? 0) + (data[c + 128] ?? 0));
  return {
    firstRow: () => [map(), output("i32", [128], data.slice(0, 128))],
    bothRows: () => [map(), output("i32", [128], sums)],
  };
}
