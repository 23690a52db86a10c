import type { Device, DeviceTensor } from "warpsmith";
import { type MatmulOptions, matmul, type Plan } from "warpsmith/kernels";
import { randn } from "warpsmith/testing";

export type Half = "f16" | "bf16";
export type Matrix<D extends Half = Half> = DeviceTensor<D, 2>;
/** Whether A and B lie as [M, K] and [K, N] ("n") or transposed ("t"). */
export type Layout = "nn" | "nt" | "tn" | "tt";
export const layouts: readonly Layout[] = ["nn", "nt", "tn", "tt"];

/** Small enough for the emulator: one block, tiles of 64 × 64. */
export const smallPlan: Plan = {
  tile: [64, 64],
  stages: 2,
  consumers: 1,
  schedule: "cooperative",
  cluster: [1, 1],
  group: 2,
  wait: 0,
  stores: "warpgroup",
  buffers: 2,
  splitTail: false,
  promotion: "128B",
  blocks: 2,
};

export interface Size {
  readonly m: number;
  readonly n: number;
  readonly k: number;
}

/** Rows of memory that begin at multiples of 16 bytes, of which `columns` elements are in use. */
export function rowsOf<D extends Half>(device: Device, dtype: D, rows: number, columns: number, seed: number): Matrix<D> {
  const pitch = Math.ceil(columns / 8) * 8;
  const memory = device.tensor(dtype, [rows, pitch], randn(rows * pitch, seed) as never) as Matrix<D>;
  return pitch === columns ? memory : memory.slice(undefined, [0, columns]);
}

/** Operands of that layout: [M, K] and [K, N] by shape. */
export function operandsOf<D extends Half>(device: Device, dtype: D, layout: Layout, { m, n, k }: Size) {
  const matrix = (turned: boolean, rows: number, columns: number, seed: number): Matrix<D> =>
    turned ? rowsOf(device, dtype, columns, rows, seed).transpose(1, 0) : rowsOf(device, dtype, rows, columns, seed);
  return { a: matrix(layout[0] === "t", m, k, 1), b: matrix(layout[1] === "t", k, n, 2) };
}

/** The elements as a plain array, for loops that read each again and again: f16 is slow to read where the engine has no `Float16Array`. */
export const plain = async (tensor: DeviceTensor<Half | "f32">): Promise<Float32Array> =>
  Float32Array.from((await tensor.read()) as ArrayLike<number>);

/** What becomes of an element, in JavaScript's numbers. */
export type Finish = (value: number, row: number, col: number) => number;

/** How far a result is from sums in f64, in units of what rounding may do: at most 1. Rows may be picked. */
export async function distance(
  result: DeviceTensor<Half | "f32", 2>,
  a: Matrix,
  b: Matrix,
  finish: Finish = (value) => value,
  rows?: readonly number[],
): Promise<number> {
  const [x, y, d] = [await plain(a), await plain(b), await plain(result)];
  const [[m, k], [, n]] = [a.shape, b.shape];
  const unit = { f32: 2 ** -24, f16: 2 ** -11, bf16: 2 ** -8 }[result.dtype];
  let worst = 0;
  for (const i of rows ?? Array.from({ length: m }, (_, row) => row)) {
    for (let j = 0; j < n; j++) {
      let [sum, size] = [0, 0];
      for (let l = 0; l < k; l++) {
        const product = (x[i * k + l] ?? Number.NaN) * (y[l * n + j] ?? Number.NaN);
        sum += product;
        size += Math.abs(product);
      }
      const want = finish(sum, i, j);
      const off = Math.abs((d[i * n + j] ?? Number.NaN) - want);
      const allowed = Math.abs(want) * unit + size * 2 ** -20 + 2 ** -14;
      worst = Math.max(worst, Number.isNaN(off) ? Number.POSITIVE_INFINITY : off / allowed);
    }
  }
  return worst;
}

/**
 * Products in a row, each of what the one before has written and onto what that one has read: a [m, n] times a matrix that moves every
 * column one to the right, the last to the front. Gives how many elements are not those that `links` moves leave there.
 */
export async function chain(
  device: Device,
  dtype: Half,
  layout: Layout,
  { m, n }: Pick<Size, "m" | "n">,
  links: number,
  options: Pick<MatmulOptions, "plan" | "overlapPrevious">,
): Promise<number> {
  const moves = new Float32Array(n * n);
  const turned = layout[1] === "t";
  for (let l = 0; l < n; l++) moves[turned ? ((l + 1) % n) * n + l : l * n + ((l + 1) % n)] = 1;
  const { a } = operandsOf(device, dtype, layout, { m, n, k: n });
  using memory = device.tensor(dtype, [n, n], moves);
  using even = device.empty(dtype, [m, n]);
  using odd = device.empty(dtype, [m, n]);
  const b = turned ? memory.transpose(1, 0) : memory;
  let from: Matrix = a;
  for (let i = 0; i < links; i++) from = matmul(from, b, { ...options, out: i % 2 === 0 ? even : odd });
  const [first, last] = [await a.read(), await from.read()];
  return Array.from(last).filter((value, i) => value !== first[i - (i % n) + (((i % n) - (links % n) + n) % n)]).length;
}
