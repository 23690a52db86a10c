import { f32, gridDependency, i32, type Kernel, kernel, type Tensor } from "warpsmith";
import { type Best, better, isNumber } from "../common/best.ts";
import type { Kept } from "../common/made.ts";
import { rounded, tree } from "../common/numbers.ts";
import type { FloatType } from "../common/tensors.ts";
import { forRow, isFirst, loadAt, type Rows, reduceOf, type Values } from "./places.ts";
import { launchOf, type RowShape } from "./plan.ts";
import { joined, logarithmOf, noPowers, extended as withPowers } from "./powers.ts";
import { maxOf, type Row, readRow, sumOf } from "./row.ts";

export type Reduction = "sum" | "mean" | "max" | "min" | "logSumExp";

/** What a row comes to, in every thread that has it. */
function wholeOf(kind: Reduction, values: Row, shape: RowShape): number {
  "use kernel";
  if (kind === "max") return maxOf(values, shape);
  if (kind === "min") return -maxOf(negated(values), shape);
  if (kind === "logSumExp") {
    return logarithmOf(reduceOf(shape, values.fold(noPowers(), Number.NEGATIVE_INFINITY, withPowers), joined));
  }
  const sum = sumOf(values, shape);
  return kind === "mean" ? sum / shape.columns : sum;
}

/** The least of some numbers is the greatest of these. */
const negated = (values: Row): Row => {
  "use kernel";
  return values.map((v) => -v);
};

/** The sum, the mean, the greatest or the least element, or log Σ exp of each row. */
export function makeReduce(
  kind: Reduction,
  shape: RowShape,
  overlaps: boolean,
  kept: Kept,
): Kernel<[x: Rows, y: Tensor<FloatType, 1>]> {
  const { plan } = shape;
  return kernel(
    { ...kept, ...launchOf(plan), dynamic: { x: [0], y: [0] } },
    function reduceRows(x: Rows, y: Tensor<FloatType, 1>) {
      if (overlaps) gridDependency.wait();
      forRow(x.shape[0], plan, (row) => {
        const whole = wholeOf(kind, readRow(x, row, shape), shape);
        if (isFirst(shape)) y.at(row).store(rounded(y.dtype, whole));
      });
    },
  );
}

/** With some loads more, whose columns rise. */
const extended = (state: Best, values: Values, columns: readonly number[]): Best => {
  "use kernel";
  let { value, at } = state;
  for (const [i, chunk] of values.entries()) {
    const most = tree(chunk, (a, b) => Math.max(a, b));
    const wins = most > value || (!isNumber(most) && isNumber(value));
    [value, at] = [wins ? most : value, wins ? (columns[i] ?? 0) : at];
  }
  return { value, at };
};

/** Where the first such element of a load is; `sign`: what it was multiplied with. */
function columnOf(x: Rows, row: number, shape: RowShape, { value, at }: Best, sign: 1 | -1): number {
  "use kernel";
  let column = at;
  const loaded = loadAt(x, row, shape, { column: at, pred: undefined });
  for (const [j, v] of [...loaded.entries()].toReversed()) {
    const own = sign * f32(v);
    column = own === value || !isNumber(own) ? at + j : column;
  }
  return column;
}

/** The column of the greatest element of each row, or of the least one. */
export function makeArgmax(
  kind: "argmax" | "argmin",
  shape: RowShape,
  overlaps: boolean,
  kept: Kept,
): Kernel<[x: Rows, y: Tensor<"i32", 1>]> {
  const { plan } = shape;
  const sign = kind === "argmin" ? -1 : 1;
  return kernel({ ...kept, ...launchOf(plan), dynamic: { x: [0], y: [0] } }, function argmax(x: Rows, y: Tensor<"i32", 1>) {
    if (overlaps) gridDependency.wait();
    forRow(x.shape[0], plan, (row) => {
      const values = sign < 0 ? negated(readRow(x, row, shape)) : readRow(x, row, shape);
      // What a thread finds no greater element than is -∞, at column 0: right where a whole row is -∞, and else never the greatest.
      const start: Best = { value: f32(Number.NEGATIVE_INFINITY), at: i32(0) };
      const best = reduceOf(shape, values.fold(start, Number.NEGATIVE_INFINITY, extended), better);
      if (isFirst(shape)) y.at(row).store(columnOf(x, row, shape, best, sign));
    });
  });
}
