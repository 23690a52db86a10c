import type { Device } from "warpsmith";
import { randn } from "warpsmith/testing";
import type { Half, Layout, Matrix, Size } from "./products.ts";

/** Its extents, the distance of its rows, and where the first begins in one. */
export type AmidNaN = readonly [rows: number, columns: number, pitch: number, begin: number, seed: number];

/** A matrix in the middle of memory that is NaN all around it. */
export function matrixAmidNaN<D extends Half>(device: Device, dtype: D, ...[rows, columns, pitch, begin, seed]: AmidNaN) {
  const memory = device.empty(dtype, [rows + 2, pitch]) as Matrix<D>;
  memory.fill(Number.NaN as never);
  const part = memory.slice([1, rows + 1], [begin, begin + columns]) as Matrix<D>;
  part.write(randn(rows * columns, seed) as never);
  return part;
}

/** Operands of that layout, whose lines are `more` elements longer than they have to be and begin `begin` elements after those of their memory. */
export function operandsAmidNaN<D extends Half>(
  device: Device,
  dtype: D,
  layout: Layout,
  { m, n, k }: Size,
  { more = 0, begin = 0 }: { readonly more?: number; readonly begin?: number } = {},
) {
  const matrix = (turned: boolean, rows: number, columns: number, seed: number): Matrix<D> => {
    const [lines, length] = turned ? [columns, rows] : [rows, columns];
    const made = matrixAmidNaN(device, dtype, lines, length, length + begin + more, begin, seed);
    return turned ? made.transpose(1, 0) : made;
  };
  return { a: matrix(layout[0] === "t", m, k, 1), b: matrix(layout[1] === "t", k, n, 2) };
}
