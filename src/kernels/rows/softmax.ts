import type { DeviceTensor } from "warpsmith";
import { checkOptions, optionsOf } from "../../diag/index.ts";
import { prepares } from "../common/kernel-of.ts";
import { madeOnce } from "../common/made.ts";
import { asRows, checkOperand, checkWritten, vectorOf } from "../common/operands.ts";
import { checkRun, launch, type Ready, type RunOptions, readyFor } from "../common/ready.ts";
import type { FloatType } from "../common/tensors.ts";
import { checkRowPlan, planToKeep } from "./choose-plan.ts";
import type { RowPlan } from "./plan.ts";
import { makeSoftmax } from "./softmax-kernel.ts";

/** Where the result of `softmax` goes, and how it runs. W2601, W7046, W7613, W7616–W7618. */
export interface SoftmaxOptions<D extends FloatType = FloatType, R extends number = number> extends RunOptions {
  /** Where it goes: of the type and shape of x, which it may be. Default: new memory. */
  readonly out?: DeviceTensor<D, R>;
  /** How threads share rows, instead of what measurement chose. */
  readonly plan?: RowPlan;
}

const of = "softmax()";
const softmaxOptions = optionsOf<SoftmaxOptions>(of, { out: true, plan: true, stream: true, overlapPrevious: true });

function prepare(x: DeviceTensor<FloatType>, options: SoftmaxOptions): Ready {
  const { out: given, plan: wanted, overlapPrevious: overlaps = false } = options;
  checkOperand(of, "x", x);
  const rows = asRows(of, "x", x);
  if (given !== undefined) checkOperand(of, "out", given, { dtypes: [x.dtype], shape: x.shape });
  if (wanted !== undefined) checkRowPlan(wanted);
  const into = given && asRows(of, "out", given);
  if (into) checkWritten(of, "out", into, { x: rows });
  const columns = rows.shape[1];
  const plan = wanted ?? planToKeep(columns);
  const out = given ?? x.device.empty(x.dtype, [...x.shape]);
  const written = into ?? asRows(of, "out", out);
  const shape = { plan, columns, vector: vectorOf(columns, [rows, written]) };
  const kernel = madeOnce([of, shape, overlaps], (kept) => makeSoftmax(shape, overlaps, kept));
  return { kernel, args: [rows, written], out };
}

function ready(x: DeviceTensor<FloatType>, options: SoftmaxOptions): Ready {
  checkOptions(options, softmaxOptions);
  checkRun(of, options);
  const { out, plan, overlapPrevious = false } = options;
  return readyFor(x, [of, out, plan, overlapPrevious], out !== undefined, () => prepare(x, options));
}

/**
 * exp(x) / Σ exp(x) over the last axis, for f16, bf16 and f32, computed in f32 and rounded once. The greatest element of each row is
 * subtracted first; a row with NaN or +∞, or of -∞ alone, is NaN, as in PyTorch. W7012, W76xx.
 */
export function softmax<D extends FloatType, R extends number>(
  x: DeviceTensor<D, R>,
  options: SoftmaxOptions<NoInfer<D>, NoInfer<R>> = {},
): DeviceTensor<D, R> {
  const { out } = launch(ready(x, options as SoftmaxOptions), options, options?.out, "rows/softmax-kernel.ts");
  return out as DeviceTensor<D, R>;
}
prepares(softmax, (x: DeviceTensor<FloatType>, options: SoftmaxOptions = {}) => ready(x, options));
