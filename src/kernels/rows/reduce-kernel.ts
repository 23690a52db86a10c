import { f32, gridDependency, i32, type Kernel, kernel, type Tensor } from "warpsmith";
import { rounded, tree } from "../common/numbers.ts";
import type { FloatType } from "../common/tensors.ts";
import { forRow, isFirst, loadAt, type Rows, reduceOf, type Values } from "./places.ts";
import { launchOf, type RowShape } from "./plan.ts";
import { maxOf, readRow, sumOf } from "./row.ts";

export type Reduction = "sum" | "mean" | "max";

/** The sum, the mean or the greatest element of each row. */
export function makeReduce(kind: Reduction, shape: RowShape, overlaps: boolean): Kernel<[x: Rows, y: Tensor<FloatType, 1>]> {
  const { plan, columns } = shape;
  return kernel({ ...launchOf(plan), dynamic: { x: [0], y: [0] } }, function reduceRows(x: Rows, y: Tensor<FloatType, 1>) {
    if (overlaps) gridDependency.wait();
    forRow(x.shape[0], plan, (row) => {
      const values = readRow(x, row, shape);
      const whole = kind === "max" ? maxOf(values, shape) : sumOf(values, shape);
      if (isFirst(shape)) y.at(row).store(rounded(y.dtype, kind === "mean" ? whole / columns : whole));
    });
  });
}

/** An element, and the first column of the load that it is in. */
interface Best {
  readonly value: number;
  readonly at: number;
}

const isNumber = (v: number): boolean => {
  "use kernel";
  return v <= Number.POSITIVE_INFINITY;
};

/** The greater one, of equal ones the first; NaN is greater than all else. */
const better = (a: Best, b: Best): Best => {
  "use kernel";
  const [nanA, nanB] = [!isNumber(a.value), !isNumber(b.value)];
  const greater = b.value > a.value || (nanB && !nanA);
  const equal = b.value === a.value || (nanB && nanA);
  return greater || (equal && b.at < a.at) ? b : a;
};

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

/** Where the first such element of a load is. */
function columnOf(x: Rows, row: number, shape: RowShape, { value, at }: Best): number {
  "use kernel";
  let column = at;
  const loaded = loadAt(x, row, shape, { column: at, pred: undefined });
  for (const [j, v] of [...loaded.entries()].toReversed()) {
    const own = f32(v);
    column = own === value || !isNumber(own) ? at + j : column;
  }
  return column;
}

/** The column of the greatest element of each row. */
export function makeArgmax(shape: RowShape, overlaps: boolean): Kernel<[x: Rows, y: Tensor<"i32", 1>]> {
  const { plan } = shape;
  return kernel({ ...launchOf(plan), dynamic: { x: [0], y: [0] } }, function argmax(x: Rows, y: Tensor<"i32", 1>) {
    if (overlaps) gridDependency.wait();
    forRow(x.shape[0], plan, (row) => {
      // What a thread finds no greater element than is -∞, at column 0: right where a whole row is -∞, and else never the greatest.
      const start: Best = { value: f32(Number.NEGATIVE_INFINITY), at: i32(0) };
      const best = reduceOf(shape, readRow(x, row, shape).fold(start, Number.NEGATIVE_INFINITY, extended), better);
      if (isFirst(shape)) y.at(row).store(columnOf(x, row, shape, best));
    });
  });
}
