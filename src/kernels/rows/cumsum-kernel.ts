import { block, cluster, f32, gridDependency, type Kernel, kernel, warp } from "warpsmith";
import type { Kept } from "../common/made.ts";
import { forRow, loadAt, type Rows, reduceOf, storeAt } from "./places.ts";
import { clusterOf, launchOf, type RowShape } from "./plan.ts";
import { forLoads } from "./row.ts";

const added = (a: readonly number[], b: readonly number[]): number[] => {
  "use kernel";
  return a.map((v, i) => v + (b[i] ?? 0));
};

/** What the threads before this one bring. */
function before({ plan }: RowShape, own: readonly number[]): readonly number[] {
  "use kernel";
  const exclusive = own.map(() => f32(0));
  if (plan.group === "warp") return warp.scan([...own], added, { exclusive });
  return clusterOf(plan) > 1 ? cluster.scan([...own], added, { exclusive }) : block.scan([...own], added, { exclusive });
}

/** Each neighbour and those before it. */
const running = (values: readonly number[]): readonly number[] => {
  "use kernel";
  let sum = f32(0);
  return values.map((v) => {
    sum = sum + v;
    return sum;
  });
};

/** y[i] = x[0] + … + x[i], by rows. */
export function makeCumsum(shape: RowShape, overlaps: boolean, kept: Kept): Kernel<[x: Rows, y: Rows]> {
  const { plan } = shape;
  return kernel({ ...kept, ...launchOf(plan), dynamic: { x: [0], y: [0] } }, function cumsum(x: Rows, y: Rows) {
    if (overlaps) gridDependency.wait();
    forRow(x.shape[0], plan, (row) => {
      let done = f32(0);
      forLoads(shape, (places) => {
        const sums = places.map((place) => running(loadAt(x, row, shape, place).map((v) => f32(v))));
        const totals = sums.map((chunk) => chunk[chunk.length - 1] ?? 0);
        const [earlier, whole] = [before(shape, totals), reduceOf(shape, totals, added)];
        for (const [i, place] of places.entries()) {
          const from = done + (earlier[i] ?? 0);
          storeAt(
            y,
            row,
            shape,
            place,
            (sums[i] ?? []).map((v) => from + v),
          );
          done = done + (whole[i] ?? 0);
        }
      });
    });
  });
}
