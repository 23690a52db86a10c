import { type f32, gridDependency, type Kernel, kernel } from "warpsmith";
import type { Kept } from "../common/made.ts";
import { forRow, type Line, type Rows } from "./places.ts";
import { launchOf, type RowShape } from "./plan.ts";
import { type Row, readLine, readRow, readSum, sumOf } from "./row.ts";

/** What a norm does. Where it has no residual, sum or bias, other tensors stand for them. */
export interface NormKind {
  /** The mean of a row is subtracted: a layer norm. */
  readonly centred: boolean;
  /** x + residual is normalised. */
  readonly residual: boolean;
  /** And stored. */
  readonly sum: boolean;
  readonly bias: boolean;
}

/** What a norm takes. */
export interface NormTensors {
  readonly residual: Rows;
  /** Where x + residual goes. */
  readonly sum: Rows;
  readonly weight: Line;
  readonly bias: Line;
}

type Args = [x: Rows, y: Rows, more: NormTensors, eps: f32];

/** y = x / √(mean(x²) + eps) · weight + bias by rows, of x or of x + residual, which are centred for a layer norm. */
export function makeNorm(kind: NormKind, shape: RowShape, overlaps: boolean, kept: Kept): Kernel<Args> {
  const { plan, columns } = shape;
  const dynamic = { x: [0], y: [0], "more.residual": [0], "more.sum": [0] };
  return kernel({ ...kept, ...launchOf(plan), dynamic }, function norm(x: Rows, y: Rows, more: NormTensors, eps: f32) {
    if (overlaps) gridDependency.wait();
    const { residual, sum, weight, bias } = more;
    forRow(x.shape[0], plan, (row) => {
      // Rounded as what is stored is, so that it is the norm of the sum that others read.
      const given = added(kind, x, residual, sum, row, shape);
      const scales = readLine(weight, shape);
      const shifts = kind.bias ? [readLine(bias, shape)] : [];
      const mean = kind.centred ? sumOf(given, shape) / columns : 0;
      const values = kind.centred ? given.map((v) => v - mean) : given;
      const squares = values.map((v) => v * v);
      const scale = 1 / Math.sqrt(sumOf(squares, shape) / columns + eps);
      values.map((v, w = 1, b) => (b === undefined ? v * scale * w : v * scale * w + b), scales, ...shifts).store(y);
    });
  });
}

function added(kind: NormKind, x: Rows, residual: Rows, sum: Rows, row: number, shape: RowShape): Row {
  "use kernel";
  if (!kind.residual) return readRow(x, row, shape);
  const both = readSum(x, residual, row, shape);
  return kind.sum ? both.storedIn(sum) : both.roundedTo(x.dtype);
}
