import type { DeviceTensor } from "warpsmith";
import { checkOptions, display, optionsOf, refuseMore } from "../../base/diag/index.ts";
import { prepares } from "../common/kernel-of.ts";
import type { Ready } from "../common/launches.ts";
import { madeOnce } from "../common/made.ts";
import { taking } from "../common/memory.ts";
import { asRows, checkOperand, checkWritten, vectorOf } from "../common/operands.ts";
import { type Call, checkRun, launch, type RunOptions, readyFor } from "../common/ready.ts";
import type { FloatType } from "../common/tensors.ts";
import { fail } from "../errors.ts";
import type { RowPlan } from "../rows/plan.ts";
import { checkSelectPlan, planToSelect } from "./choose-plan.ts";
import { makeTopK } from "./top-k-kernel.ts";

/** Where the results of `topK` go, and how it runs. W2601, W7012, W7046, W7613, W7616, W7617, W7619, W7624. */
export interface TopKOptions<D extends FloatType = FloatType, R extends number = number> extends RunOptions {
  /** Where the elements go: [..., k], of the type of x. Default: new memory. */
  readonly values?: DeviceTensor<D, R>;
  /** Where their columns go: [..., k], i32. Default: new memory. */
  readonly indices?: DeviceTensor<"i32", R>;
  /** How threads share rows, instead of what measurement chose: blocks that read rows again. */
  readonly plan?: RowPlan;
}

/** The greatest elements of each row, and where they were. */
export interface TopK<D extends FloatType, R extends number> {
  /** [..., k]: the greatest first. */
  readonly values: DeviceTensor<D, R>;
  /** [..., k]: their columns. */
  readonly indices: DeviceTensor<"i32", R>;
}

const of = "topK()";
const known = optionsOf<TopKOptions>(of, { values: true, indices: true, plan: true, stream: true, overlapPrevious: true });

/** The most elements that are sorted in shared memory. */
const most = 2048;

/** W7624. */
export function checkCount(name: string, k: unknown, columns: number, least = 1, limit = most): void {
  if (typeof k === "number" && Number.isInteger(k) && k >= least && k <= Math.min(columns, limit)) return;
  fail("W7624", { name, given: display(k), least, columns, most: limit });
}

interface ReadyTopK extends Ready {
  readonly indices: DeviceTensor<"i32">;
}

function prepare(x: DeviceTensor<FloatType>, k: number, options: TopKOptions): ReadyTopK {
  const { values, indices, plan: wanted, overlapPrevious: overlaps = false } = options;
  checkOperand(of, "x", x);
  const rows = asRows(of, "x", x);
  const [count, columns] = rows.shape;
  checkCount("k of topK()", k, columns);
  const shape = [...x.shape.slice(0, -1), k];
  if (values !== undefined) checkOperand(of, "values", values, { dtypes: [x.dtype], shape });
  if (indices !== undefined) checkOperand(of, "indices", indices, { dtypes: ["i32"], shape });
  if (wanted !== undefined) checkSelectPlan(wanted);
  const given = { values: values && asRows(of, "values", values), indices: indices && asRows(of, "indices", indices) };
  if (given.values) checkWritten(of, "values", given.values, {}, { x: rows, indices: given.indices });
  if (given.indices) checkWritten(of, "indices", given.indices, {}, { x: rows });
  const found = {
    plan: { ...(wanted ?? planToSelect(columns, count)), keep: false },
    columns,
    vector: vectorOf(columns, [rows]),
  };
  return taking(x.device, (take) => {
    const kernel = madeOnce([of, k, found, overlaps], (kept) => makeTopK(k, found, overlaps, kept));
    const out = values ?? take(x.dtype, shape);
    const places = indices ?? take("i32", shape);
    const args = [
      rows,
      given.values ?? asRows(of, "values", out as DeviceTensor<FloatType>),
      given.indices ?? asRows(of, "indices", places),
    ];
    return { kernel, args, out, indices: places, made: indices ? [] : [places] };
  });
}

function ready(x: DeviceTensor<FloatType>, k: number, options: TopKOptions): Call<ReadyTopK> {
  checkOptions(options, known);
  checkRun(of, options);
  const { values, indices, plan, overlapPrevious = false } = options;
  const isKept = values !== undefined && indices !== undefined;
  return readyFor(x, [of, k, values, indices, plan, overlapPrevious], isKept, () => prepare(x, k, options));
}

/**
 * The k greatest elements of each row, over the last axis, of f16, bf16 and f32, the greatest first, and their columns: of equal ones those of the lowest columns, in that order.
 * NaN is greater than everything, as in PyTorch. k is at most the length of a row, and 2048. Both results are [..., k]. W7012, W76xx.
 */
export function topK<D extends FloatType, R extends number>(
  x: DeviceTensor<D, R>,
  k: number,
  options: TopKOptions<NoInfer<D>, NoInfer<R>> = {},
): TopK<D, R> {
  refuseMore(topK, arguments);
  const made = launch(ready(x, k, options as TopKOptions), options, options?.values);
  return { values: made.out, indices: made.indices } as TopK<D, R>;
}
prepares(topK, (x: DeviceTensor<FloatType>, k: number, options: TopKOptions = {}) => ready(x, k, options));
