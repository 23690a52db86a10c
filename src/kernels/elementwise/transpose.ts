import type { DeviceTensor, DType } from "warpsmith";
import { checkOptions, optionsOf, refuseMore } from "../../base/diag/index.ts";
import { prepares } from "../common/kernel-of.ts";
import type { Ready } from "../common/launches.ts";
import { madeOnce } from "../common/made.ts";
import { asRows, checkOperand, checkWritten } from "../common/operands.ts";
import { type Call, checkRun, launch, type RunOptions, readyFor } from "../common/ready.ts";
import { alignmentOf, checkTensor, type FloatType, sizeOf } from "../common/tensors.ts";
import { makeTranspose } from "./transpose-kernel.ts";

/** Where the result of `transpose` goes, and how it runs. W2601, W7012, W7046, W7616, W7617, W7619. */
export interface TransposeOptions<D extends DType = DType> extends RunOptions {
  /** Where it goes: [N, M], of the type of x, sharing no element with it. Default: new memory. */
  readonly out?: DeviceTensor<D, 2>;
}

const of = "transpose()";
const known = optionsOf<TransposeOptions>(of, { out: true, stream: true, overlapPrevious: true });

/** What an H200 was fastest with: eight lanes beside each other, blocks of 2 x 8 warps that follow each other downwards. */
const plan = { across: 8, warps: [2, 8], down: true } as const;

function prepare(x: DeviceTensor<DType, 2>, given: DeviceTensor<DType, 2> | undefined, overlaps: boolean): Ready {
  checkTensor("x", x, 2, of);
  const [m, n] = x.shape;
  if (given !== undefined) checkOperand(of, "out", given, { dtypes: [x.dtype], shape: [n, m] });
  const rows = asRows(of, "x", x as DeviceTensor<FloatType>);
  const out = given ?? x.device.empty(x.dtype, [n, m]);
  const written = asRows(of, "out", out as DeviceTensor<FloatType>);
  checkWritten(of, "out", written, {}, { x: rows });
  const bytes = Math.min(alignmentOf(rows), alignmentOf(written));
  const vector = [8, 4, 2].find((v) => n % v === 0 && m % v === 0 && v * sizeOf(x) <= bytes) ?? 1;
  const kernel = madeOnce([of, vector, overlaps], (kept) => makeTranspose(plan, vector, overlaps, kept));
  return { kernel, args: [rows, written], out };
}

function ready(x: DeviceTensor<DType, 2>, options: TransposeOptions): Call {
  checkOptions(options, known);
  checkRun(of, options);
  const { out, overlapPrevious = false } = options;
  return readyFor(x, [of, out, overlapPrevious], out !== undefined, () => prepare(x, out, overlapPrevious));
}

/**
 * A matrix whose rows are the columns of x, in memory of its own: x is [M, N] of any type, the result [N, M]. Where it need not be rearranged in memory, `x.transpose(1, 0)`
 * is a view that costs nothing. W7012, W76xx.
 */
export function transpose<D extends DType>(
  x: DeviceTensor<D, 2>,
  options: TransposeOptions<NoInfer<D>> = {},
): DeviceTensor<D, 2> {
  refuseMore(transpose, arguments);
  return launch(ready(x, options as TransposeOptions), options, options?.out).out as DeviceTensor<D, 2>;
}
prepares(transpose, (x: DeviceTensor<DType, 2>, options: TransposeOptions = {}) => ready(x, options));
