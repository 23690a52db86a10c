import type { DeviceTensor } from "warpsmith";
import { checkOptions, optionsOf, refuseMore } from "../../base/diag/index.ts";
import { prepares } from "../common/kernel-of.ts";
import type { Ready } from "../common/launches.ts";
import { madeOnce } from "../common/made.ts";
import { asRows, checkOperand, checkWritten, vectorOf } from "../common/operands.ts";
import { type Call, checkRun, launch, type RunOptions, readyFor } from "../common/ready.ts";
import type { FloatType } from "../common/tensors.ts";
import { checkRowPlan, planToFold } from "./choose-plan.ts";
import { makeCumsum } from "./cumsum-kernel.ts";
import type { RowPlan } from "./plan.ts";

/** Where the result of `cumsum` goes, and how it runs. W2601, W7012, W7046, W7613, W7616–W7618. */
export interface CumsumOptions<D extends FloatType = FloatType, R extends number = number> extends RunOptions {
  /** Where it goes: of the type and shape of x, which it may be. Default: new memory. */
  readonly out?: DeviceTensor<D, R>;
  /** How threads share rows, instead of what measurement chose. */
  readonly plan?: RowPlan;
}

const of = "cumsum()";
const known = optionsOf<CumsumOptions>(of, { out: true, plan: true, stream: true, overlapPrevious: true });

function prepare(x: DeviceTensor<FloatType>, options: CumsumOptions): Ready {
  const { out: given, plan: wanted, overlapPrevious: overlaps = false } = options;
  checkOperand(of, "x", x);
  const rows = asRows(of, "x", x);
  if (given !== undefined) checkOperand(of, "out", given, { dtypes: [x.dtype], shape: x.shape });
  if (wanted !== undefined) checkRowPlan(wanted);
  const out = given ?? x.device.empty(x.dtype, [...x.shape]);
  const written = asRows(of, "out", out);
  checkWritten(of, "out", written, { x: rows });
  const [count, columns] = rows.shape;
  const shape = { plan: wanted ?? planToFold(columns, count), columns, vector: vectorOf(columns, [rows, written]) };
  const kernel = madeOnce([of, shape, overlaps], (kept) => makeCumsum(shape, overlaps, kept));
  return { kernel, args: [rows, written], out };
}

function ready(x: DeviceTensor<FloatType>, options: CumsumOptions): Call {
  checkOptions(options, known);
  checkRun(of, options);
  const { out, plan, overlapPrevious = false } = options;
  return readyFor(x, [of, out, plan, overlapPrevious], out !== undefined, () => prepare(x, options));
}

/**
 * x[0] + … + x[i] for each element of each row, over the last axis, of f16, bf16 and f32: added in f32, in an order that never changes, and rounded to the type of x.
 * W7012, W76xx.
 */
export function cumsum<D extends FloatType, R extends number>(
  x: DeviceTensor<D, R>,
  options: CumsumOptions<NoInfer<D>, NoInfer<R>> = {},
): DeviceTensor<D, R> {
  refuseMore(cumsum, arguments);
  return launch(ready(x, options as CumsumOptions), options, options?.out).out as DeviceTensor<D, R>;
}
prepares(cumsum, (x: DeviceTensor<FloatType>, options: CumsumOptions = {}) => ready(x, options));
