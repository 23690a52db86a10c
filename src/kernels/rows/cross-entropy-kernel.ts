import { assert, f32, gridDependency, i32, type Kernel, kernel, type Tensor } from "warpsmith";
import type { Kept } from "../common/made.ts";
import { forRow, isFirst, type Rows, reduceOf } from "./places.ts";
import { launchOf, type RowShape } from "./plan.ts";
import { extended, joined, logarithmOf, noPowers } from "./powers.ts";
import { readRow } from "./row.ts";

type Column = Tensor<"f32", 1>;
type Args = [x: Rows, targets: Tensor<"i32" | "i64", 1>, loss: Column, logSumExp: Column];

/** loss = log Σ exp(x) - x[target], by rows, in one pass; 0 where the target is negative. `both`: the logarithm is stored, too. */
export function makeCrossEntropy(shape: RowShape, both: boolean, overlaps: boolean, kept: Kept): Kernel<Args> {
  const { plan } = shape;
  const dynamic = { x: [0], targets: [0], loss: [0], logSumExp: [0] };
  return kernel(
    { ...kept, ...launchOf(plan), dynamic },
    function crossEntropy(x: Rows, targets: Tensor<"i32" | "i64", 1>, loss: Column, logSumExp: Column) {
      if (overlaps) gridDependency.wait();
      forRow(x.shape[0], plan, (row) => {
        const own = readRow(x, row, shape).fold(noPowers(), Number.NEGATIVE_INFINITY, extended);
        const powers = reduceOf(shape, own, joined);
        if (!isFirst(shape)) return;
        const given = targets.at(row).load() as number;
        const target = i32(given);
        const logarithm = logarithmOf(powers);
        const pred = target >= 0;
        assert(target < x.shape[1], "targets[{}] is a column of the logits", row);
        const chosen = x.at(row, pred ? target : 0).load({ pred });
        loss.at(row).store(pred ? logarithm - f32(chosen) : 0);
        if (both) logSumExp.at(row).store(logarithm);
      });
    },
  );
}
