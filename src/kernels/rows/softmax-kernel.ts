import { fast, gridDependency, type Kernel, kernel } from "warpsmith";
import type { Kept } from "../common/made.ts";
import { forRow, type Rows, reduceOf } from "./places.ts";
import { launchOf, type RowShape } from "./plan.ts";
import { base, extended, joined, noPowers } from "./powers.ts";
import { maxOf, type Row, readRow, sumOf } from "./row.ts";

/** The row of exp(x - max) / sum, or of its logarithm. */
function shared(values: Row, max: number, sum: number, logarithm: boolean): Row {
  "use kernel";
  const rest = logarithm ? Math.log(sum) : 1 / sum;
  return values.map((v) => (logarithm ? v - max - rest : fast.exp2((v - max) * Math.LOG2E) * rest));
}

/** y = exp(x - max) / Σ exp(x - max), by rows, or its logarithm. */
export function makeSoftmax(shape: RowShape, logarithm: boolean, overlaps: boolean, kept: Kept): Kernel<[x: Rows, y: Rows]> {
  const { plan } = shape;
  return kernel({ ...kept, ...launchOf(plan), dynamic: { x: [0], y: [0] } }, function softmax(x: Rows, y: Rows) {
    if (overlaps) gridDependency.wait();
    forRow(x.shape[0], plan, (row) => {
      const values = readRow(x, row, shape);
      if (plan.keep === false) {
        const { max, sum } = reduceOf(shape, values.fold(noPowers(), Number.NEGATIVE_INFINITY, extended), joined);
        shared(values, base(max), sum, logarithm).store(y);
      } else {
        const max = maxOf(values, shape);
        const powers = values.map((v) => fast.exp2((v - max) * Math.LOG2E));
        const sum = sumOf(powers, shape);
        if (logarithm) shared(values, max, sum, logarithm).store(y);
        else {
          const scale = 1 / sum;
          powers.map((power) => power * scale).store(y);
        }
      }
    });
  });
}
