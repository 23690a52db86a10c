import type { Device, DeviceTensor } from "warpsmith";
import { type Half, type Layout, type Matrix, operandsOf, plain, rowsOf, type Size } from "./products.ts";

/** What rounding to a type may change, relatively. */
export const rounding = { f32: 2 ** -24, f16: 2 ** -11, bf16: 2 ** -8 } as const;

/** Products in f64, row by row, and the sums of the absolute values that they are made of. Rows may be picked. */
export async function productsOf(a: Matrix, b: Matrix, rows?: readonly number[]) {
  const [x, y] = [await plain(a), await plain(b)];
  const [[m, k], [, n]] = [a.shape, b.shape];
  const picked = rows ?? Array.from({ length: m }, (_, row) => row);
  return picked.map((row) => {
    const [sums, sizes] = [new Float64Array(n), new Float64Array(n)];
    for (let l = 0; l < k; l++) {
      const left = x[row * k + l] ?? Number.NaN;
      for (let j = 0; j < n; j++) {
        const product = left * (y[l * n + j] ?? Number.NaN);
        sums[j] = (sums[j] ?? 0) + product;
        sizes[j] = (sizes[j] ?? 0) + Math.abs(product);
      }
    }
    return { row, sums, sizes };
  });
}

/** Operands of a gated pair. */
export interface Pair<D extends Half = Half> {
  readonly a: Matrix<D>;
  readonly gate: Matrix<D>;
  readonly up: Matrix<D>;
}

/** Of that layout, `up` as `gate`. */
export function pairOf<D extends Half>(device: Device, dtype: D, layout: Layout, size: Size): Pair<D> {
  const { a, b: gate } = operandsOf(device, dtype, layout, size);
  const { n, k } = size;
  const up = layout[1] === "t" ? rowsOf(device, dtype, n, k, 3).transpose(1, 0) : rowsOf(device, dtype, k, n, 3);
  return { a, gate, up };
}

/** What becomes of both sums of an element, in JavaScript's numbers. */
export type GatedFinish = (gate: number, up: number, row: number, col: number) => number;

const silu = (x: number): number => x / (1 + Math.exp(-x));

/** How far a result is from what two sums in f64 give, in units of what rounding may do: at most 1. */
export async function gatedDistance(
  d: DeviceTensor<Half | "f32", 2>,
  { a, gate, up }: Pair,
  finish: GatedFinish = (g, u) => silu(g) * u,
  rows?: readonly number[],
): Promise<number> {
  const [got, gates, ups] = [await d.read(), await productsOf(a, gate, rows), await productsOf(a, up, rows)];
  const [, n] = d.shape;
  let worst = 0;
  for (const [i, { row, sums, sizes }] of gates.entries()) {
    for (let col = 0; col < n; col++) {
      const [g, u] = [sums[col] ?? Number.NaN, ups[i]?.sums[col] ?? Number.NaN];
      const want = finish(g, u, row, col);
      // What f32 rounds of either sum, times what the other one makes of it.
      const near = ((sizes[col] ?? 0) * (1 + Math.abs(u)) + (ups[i]?.sizes[col] ?? 0) * (1 + Math.abs(g))) * 2 ** -19;
      const allowed = Math.abs(want) * (rounding[d.dtype] + 2 ** -18) + near + 2 ** -14;
      const off = Math.abs((got[row * n + col] ?? Number.NaN) - want);
      worst = Math.max(worst, Number.isNaN(off) ? Number.POSITIVE_INFINITY : off / allowed);
    }
  }
  return worst;
}
