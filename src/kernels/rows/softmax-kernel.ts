import { fast, gridDependency, type Kernel, kernel } from "warpsmith";
import type { Kept } from "../common/made.ts";
import { forRow, type Rows, reduceOf } from "./places.ts";
import { launchOf, type RowShape } from "./plan.ts";
import { base, extended, joined, noPowers } from "./powers.ts";
import { maxOf, readRow, sumOf } from "./row.ts";

/** y = exp(x - max) / Σ exp(x - max), by rows. */
export function makeSoftmax(shape: RowShape, overlaps: boolean, kept: Kept): Kernel<[x: Rows, y: Rows]> {
  const { plan } = shape;
  return kernel({ ...kept, ...launchOf(plan), dynamic: { x: [0], y: [0] } }, function softmax(x: Rows, y: Rows) {
    if (overlaps) gridDependency.wait();
    forRow(x.shape[0], plan, (row) => {
      const values = readRow(x, row, shape);
      if (plan.keep === false) {
        const { max, sum } = reduceOf(shape, values.fold(noPowers(), Number.NEGATIVE_INFINITY, extended), joined);
        const [from, scale] = [base(max), 1 / sum];
        values.map((v) => fast.exp2((v - from) * Math.LOG2E) * scale).store(y);
      } else {
        const max = maxOf(values, shape);
        const powers = values.map((v) => fast.exp2((v - max) * Math.LOG2E));
        const scale = 1 / sumOf(powers, shape);
        powers.map((power) => power * scale).store(y);
      }
    });
  });
}
