import type { DeviceTensor } from "warpsmith";
import { checkOptions, optionsOf, refuseMore } from "../../base/diag/index.ts";
import { prepares } from "../common/kernel-of.ts";
import type { Ready } from "../common/launches.ts";
import { madeOnce } from "../common/made.ts";
import { asRows, checkOperand, checkWritten, vectorOf } from "../common/operands.ts";
import { type Call, checkRun, launch, type RunOptions, readyFor } from "../common/ready.ts";
import type { FloatType } from "../common/tensors.ts";
import { type ColumnsPlan, makeSumColumns } from "./columns-kernel.ts";

/** Where the result of `sumColumns` goes, and how it runs. W2601, W7012, W7046, W7616, W7617, W7619. */
export interface SumColumnsOptions<D extends FloatType = FloatType> extends RunOptions {
  /** Where it goes: [N]. Default: new memory. */
  readonly out?: DeviceTensor<D, 1>;
}

const of = "sumColumns()";
const known = optionsOf<SumColumnsOptions>(of, { out: true, stream: true, overlapPrevious: true });

/** Wide blocks where that leaves two for each multiprocessor of an H200. */
function planFor(columns: number, vector: number): ColumnsPlan {
  const across = [32, 16, 8].find((lanes) => Math.ceil(columns / (lanes * vector)) * 8 >= 256) ?? 4;
  return { threads: 512, across, cluster: 8, depth: 8 };
}

function prepare(x: DeviceTensor<FloatType>, given: DeviceTensor<FloatType, 1> | undefined, overlaps: boolean): Ready {
  checkOperand(of, "x", x);
  const rows = asRows(of, "x", x);
  const columns = rows.shape[1];
  if (given !== undefined)
    checkOperand(of, "out", given, { dtypes: x.dtype === "f32" ? ["f32"] : ["f32", x.dtype], shape: [columns] });
  const out = given ?? x.device.empty("f32", [columns]);
  checkWritten(of, "out", out, {}, { x: rows });
  const vector = vectorOf(columns, [rows]);
  const shape = { plan: planFor(columns, vector), columns, vector };
  const kernel = madeOnce([of, shape, overlaps], (kept) => makeSumColumns(shape, overlaps, kept));
  return { kernel, args: [rows, out], out };
}

function ready(x: DeviceTensor<FloatType>, options: SumColumnsOptions): Call {
  checkOptions(options, known);
  checkRun(of, options);
  const { out, overlapPrevious = false } = options;
  return readyFor(x, [of, out, overlapPrevious], out !== undefined, () => prepare(x, out, overlapPrevious));
}

/**
 * The sum of each column, over all axes but the last, of f16, bf16 and f32: added in f32, in an order that never changes. x is [..., N]; the result is [N], f32, or of the type of
 * x where `out` is. W7012, W76xx.
 */
export function sumColumns<D extends FloatType>(
  x: DeviceTensor<D>,
  options: SumColumnsOptions<NoInfer<D> | "f32"> = {},
): DeviceTensor<D | "f32", 1> {
  refuseMore(sumColumns, arguments);
  return launch(ready(x, options as SumColumnsOptions), options, options?.out).out as DeviceTensor<D | "f32", 1>;
}
prepares(sumColumns, (x: DeviceTensor<FloatType>, options: SumColumnsOptions = {}) => ready(x, options));
