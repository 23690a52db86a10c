import type { DeviceTensor } from "warpsmith";
import { checkOptions, optionsOf, refuseMore } from "../../base/diag/index.ts";
import { prepares } from "../common/kernel-of.ts";
import type { Ready } from "../common/launches.ts";
import { madeOnce } from "../common/made.ts";
import { asColumn, asRows, checkOperand, checkWritten, leadingShape, vectorOf } from "../common/operands.ts";
import { type Call, checkRun, launch, type RunOptions, readyFor } from "../common/ready.ts";
import type { FloatType } from "../common/tensors.ts";
import { checkRowPlan, planToFold } from "./choose-plan.ts";
import { makeCrossEntropy } from "./cross-entropy-kernel.ts";
import type { RowPlan } from "./plan.ts";

/** Where the results of `crossEntropy` go, and how it runs. W2601, W7012, W7046, W7613, W7616–W7619. */
export interface CrossEntropyOptions extends RunOptions {
  /** Where the losses go: f32, of the shape of the targets. Default: new memory. */
  readonly out?: DeviceTensor<"f32">;
  /** Where log Σ exp(logits) of each row goes: f32, of the shape of the targets. Default: nowhere. */
  readonly logSumExp?: DeviceTensor<"f32">;
  /** How threads share rows, instead of what measurement chose. */
  readonly plan?: RowPlan;
}

type Targets = DeviceTensor<"i32" | "i64">;

const of = "crossEntropy()";
const known = optionsOf<CrossEntropyOptions>(of, { out: true, logSumExp: true, plan: true, stream: true, overlapPrevious: true });

function prepare(logits: DeviceTensor<FloatType>, targets: Targets, options: CrossEntropyOptions): Ready {
  const { out: given, logSumExp, plan: wanted, overlapPrevious: overlaps = false } = options;
  checkOperand(of, "logits", logits);
  const leading = leadingShape(logits);
  checkOperand(of, "targets", targets, { dtypes: ["i32", "i64"], shape: leading });
  if (wanted !== undefined) checkRowPlan(wanted);
  const results = { dtypes: ["f32"], shape: leading };
  for (const [name, tensor] of Object.entries({ out: given, logSumExp }))
    if (tensor !== undefined) checkOperand(of, name, tensor, results);
  const [rows, classes] = [asRows(of, "logits", logits), asColumn(of, "targets", targets)];
  const out = given ?? logits.device.empty("f32", [...leading]);
  const losses = asColumn(of, "out", out);
  const logarithms = logSumExp && asColumn(of, "logSumExp", logSumExp);
  checkWritten(of, "out", losses, {}, { logits: rows, targets: classes, logSumExp: logarithms });
  if (logarithms) checkWritten(of, "logSumExp", logarithms, {}, { logits: rows, targets: classes });
  const [count, columns] = rows.shape;
  const shape = { plan: wanted ?? planToFold(columns, count), columns, vector: vectorOf(columns, [rows]) };
  const both = logarithms !== undefined;
  const kernel = madeOnce([of, shape, both, overlaps], (kept) => makeCrossEntropy(shape, both, overlaps, kept));
  return { kernel, args: [rows, classes, losses, logarithms ?? losses], out };
}

function ready(logits: DeviceTensor<FloatType>, targets: Targets, options: CrossEntropyOptions): Call {
  checkOptions(options, known);
  checkRun(of, options);
  const { out, logSumExp, plan, overlapPrevious = false } = options;
  const asked = [of, targets, out, logSumExp, plan, overlapPrevious];
  return readyFor(logits, asked, out !== undefined, () => prepare(logits, targets, options));
}

/**
 * log Σ exp(logits) - logits[target] over the last axis, for logits of f16, bf16 and f32, computed in f32: the loss of each row, in one pass over the logits. `targets`: a
 * column for each row, i32 or i64, of the shape of the logits without the last axis ([1] for one row). Where it is negative, such as PyTorch's -100, the loss is 0.
 * One beyond the last column is undefined on a GPU, and reported by the emulator. `logSumExp` is what the function of that name gives: +∞ of a row with +∞, whose loss is +∞, too, or
 * NaN where the target is that column; -∞ of a row of -∞ alone, whose loss is NaN; NaN of a row with NaN. W7012, W76xx.
 */
export function crossEntropy(
  logits: DeviceTensor<FloatType>,
  targets: DeviceTensor<"i32"> | DeviceTensor<"i64">,
  options: CrossEntropyOptions = {},
): DeviceTensor<"f32"> {
  refuseMore(crossEntropy, arguments);
  const { out } = launch(ready(logits, targets as Targets, options), options, options?.out);
  return out as DeviceTensor<"f32">;
}
prepares(crossEntropy, (logits: DeviceTensor<FloatType>, targets: Targets, options: CrossEntropyOptions = {}) =>
  ready(logits, targets, options),
);
