import type { DeviceTensor } from "warpsmith";
import { checkOptions, type KnownOptions, optionsOf, refuseMore } from "../../base/diag/index.ts";
import { prepares } from "../common/kernel-of.ts";
import type { Ready } from "../common/launches.ts";
import { madeOnce } from "../common/made.ts";
import { asColumn, asRows, checkOperand, checkWritten, leadingShape, vectorOf } from "../common/operands.ts";
import { type Call, checkRun, launch, type RunOptions, readyFor } from "../common/ready.ts";
import type { FloatType } from "../common/tensors.ts";
import { checkRowPlan, planToFold } from "./choose-plan.ts";
import type { RowPlan } from "./plan.ts";
import { makeArgmax, makeReduce, type Reduction } from "./reduce-kernel.ts";

/** Where the results of `sum`, `mean`, `max`, `min`, `argmax`, `argmin` or `logSumExp` go, and how it runs. W2601, W7012, W7046, W7613, W7616–W7619. */
export interface ReduceOptions<D extends FloatType | "i32" = FloatType | "i32"> extends RunOptions {
  /** Where they go: of the shape of x without its last axis ([1] for one row). Default: new memory. */
  readonly out?: DeviceTensor<D>;
  /** How threads share rows, instead of what measurement chose. */
  readonly plan?: RowPlan;
}

/** A function of rows that gives one number for each: what it is called, and what its results may be, the default first. */
interface Reduce {
  readonly of: string;
  readonly known: KnownOptions;
  readonly kind: Reduction | "argmax" | "argmin";
  readonly dtypes: (x: FloatType) => readonly (FloatType | "i32")[];
}

const floats = (x: FloatType): readonly FloatType[] => (x === "f32" ? ["f32"] : ["f32", x]);
const same = (x: FloatType): readonly FloatType[] => [x];
const names = { out: true, plan: true, stream: true, overlapPrevious: true } as const;
const called = (of: string) => ({ of, known: optionsOf<ReduceOptions>(of, names) });
const reductions = {
  sum: { ...called("sum()"), kind: "sum", dtypes: floats },
  mean: { ...called("mean()"), kind: "mean", dtypes: floats },
  logSumExp: { ...called("logSumExp()"), kind: "logSumExp", dtypes: floats },
  max: { ...called("max()"), kind: "max", dtypes: same },
  min: { ...called("min()"), kind: "min", dtypes: same },
  argmax: { ...called("argmax()"), kind: "argmax", dtypes: () => ["i32"] },
  argmin: { ...called("argmin()"), kind: "argmin", dtypes: () => ["i32"] },
} as const satisfies Record<string, Reduce>;

function prepare({ of, kind, dtypes }: Reduce, x: DeviceTensor<FloatType>, options: ReduceOptions): Ready {
  const { out: given, plan: wanted, overlapPrevious: overlaps = false } = options;
  checkOperand(of, "x", x);
  const leading = leadingShape(x);
  const types = dtypes(x.dtype);
  if (given !== undefined) checkOperand(of, "out", given, { dtypes: types, shape: leading });
  if (wanted !== undefined) checkRowPlan(wanted);
  const rows = asRows(of, "x", x);
  const out = given ?? x.device.empty(types[0] ?? "f32", [...leading]);
  const column = asColumn(of, "out", out);
  checkWritten(of, "out", column, {}, { x: rows });
  const [count, columns] = rows.shape;
  const shape = { plan: wanted ?? planToFold(columns, count), columns, vector: vectorOf(columns, [rows]) };
  const kernel = madeOnce([of, shape, overlaps], (kept) =>
    kind === "argmax" || kind === "argmin" ? makeArgmax(kind, shape, overlaps, kept) : makeReduce(kind, shape, overlaps, kept),
  );
  return { kernel, args: [rows, column], out };
}

function ready(reduce: Reduce, x: DeviceTensor<FloatType>, options: ReduceOptions): Call {
  checkOptions(options, reduce.known);
  checkRun(reduce.of, options);
  const { out, plan, overlapPrevious = false } = options;
  return readyFor(x, [reduce, out, plan, overlapPrevious], out !== undefined, () => prepare(reduce, x, options));
}

const run = (reduce: Reduce, x: DeviceTensor<FloatType>, options: ReduceOptions): DeviceTensor =>
  launch(ready(reduce, x, options), options, options?.out).out;

/**
 * The sum of each row, over the last axis, of f16, bf16 and f32: added in f32, in an order that never changes. The result is f32, or of the type of x where `out` is.
 * W7012, W76xx.
 */
export function sum<D extends FloatType>(
  x: DeviceTensor<D>,
  options: ReduceOptions<NoInfer<D> | "f32"> = {},
): DeviceTensor<D | "f32"> {
  refuseMore(sum, arguments);
  return run(reductions.sum, x, options as ReduceOptions) as DeviceTensor<D | "f32">;
}

/** The mean of each row, over the last axis: as `sum`, divided before it is rounded. W7012, W76xx. */
export function mean<D extends FloatType>(
  x: DeviceTensor<D>,
  options: ReduceOptions<NoInfer<D> | "f32"> = {},
): DeviceTensor<D | "f32"> {
  refuseMore(mean, arguments);
  return run(reductions.mean, x, options as ReduceOptions) as DeviceTensor<D | "f32">;
}

/**
 * log Σ exp(x) of each row, over the last axis, of f16, bf16 and f32, computed in f32. The result is f32, or of the type of x where `out` is; +∞ where the row has one, -∞ where
 * it has nothing else, NaN where it has one. W7012, W76xx.
 */
export function logSumExp<D extends FloatType>(
  x: DeviceTensor<D>,
  options: ReduceOptions<NoInfer<D> | "f32"> = {},
): DeviceTensor<D | "f32"> {
  refuseMore(logSumExp, arguments);
  return run(reductions.logSumExp, x, options as ReduceOptions) as DeviceTensor<D | "f32">;
}

/** The greatest element of each row, over the last axis, of f16, bf16 and f32; NaN where the row has one. W7012, W76xx. */
export function max<D extends FloatType>(x: DeviceTensor<D>, options: ReduceOptions<NoInfer<D>> = {}): DeviceTensor<D> {
  refuseMore(max, arguments);
  return run(reductions.max, x, options as ReduceOptions) as DeviceTensor<D>;
}

/** The least element of each row, over the last axis, of f16, bf16 and f32; NaN where the row has one. W7012, W76xx. */
export function min<D extends FloatType>(x: DeviceTensor<D>, options: ReduceOptions<NoInfer<D>> = {}): DeviceTensor<D> {
  refuseMore(min, arguments);
  return run(reductions.min, x, options as ReduceOptions) as DeviceTensor<D>;
}

/**
 * The column of the greatest element of each row, over the last axis, of f16, bf16 and f32: i32, the first of equal ones; that of the first NaN where the row has one.
 * W7012, W76xx.
 */
export function argmax(x: DeviceTensor<FloatType>, options: ReduceOptions<"i32"> = {}): DeviceTensor<"i32"> {
  refuseMore(argmax, arguments);
  return run(reductions.argmax, x, options as ReduceOptions) as DeviceTensor<"i32">;
}

/**
 * The column of the least element of each row, over the last axis, of f16, bf16 and f32: i32, the first of equal ones; that of the first NaN where the row has one.
 * W7012, W76xx.
 */
export function argmin(x: DeviceTensor<FloatType>, options: ReduceOptions<"i32"> = {}): DeviceTensor<"i32"> {
  refuseMore(argmin, arguments);
  return run(reductions.argmin, x, options as ReduceOptions) as DeviceTensor<"i32">;
}
for (const [fn, reduce] of [
  [sum, reductions.sum],
  [mean, reductions.mean],
  [logSumExp, reductions.logSumExp],
  [max, reductions.max],
  [min, reductions.min],
  [argmax, reductions.argmax],
  [argmin, reductions.argmin],
] as const)
  prepares(fn, (x: DeviceTensor<FloatType>, options: ReduceOptions = {}) => ready(reduce, x, options));
