// What results are checked with: nothing that the kernels under test are made of. No TMA, no barriers, no tensor cores.
import { bitcast, blockDim, blockIdx, f32, f64, fma, gridDim, kernel, range, type Tensor, threadIdx } from "warpsmith";
import type { Half } from "./problem.ts";

const BLOCK = 128;
/** Rows that a thread of `productRows` works on together, so that what it reads of B serves all of them. */
export const rowsAtOnce = 4;

/** out[i] = row rows[i] of a @ b, summed in f64 with k ascending. As many rows as are a multiple of `rowsAtOnce`. */
export const productRows = kernel(
  { block: BLOCK, grid: (_a, b, rows) => [Math.ceil(b.shape[1] / BLOCK), rows.shape[0] / rowsAtOnce] },
  function productRows(a: Tensor<Half, 2>, b: Tensor<Half, 2>, rows: Tensor<"i32", 1>, out: Tensor<"f32", 2>) {
    const col = blockIdx.x * BLOCK + threadIdx.x,
      first = blockIdx.y * rowsAtOnce;
    if (col >= b.shape[1]) return;
    const [r0, r1, r2, r3] = [rows[first], rows[first + 1], rows[first + 2], rows[first + 3]];
    let s0 = f64(0),
      s1 = f64(0),
      s2 = f64(0),
      s3 = f64(0);
    for (const k of range(a.shape[1])) {
      const y = f64(b[k][col]);
      s0 = fma(f64(a[r0][k]), y, s0);
      s1 = fma(f64(a[r1][k]), y, s1);
      s2 = fma(f64(a[r2][k]), y, s2);
      s3 = fma(f64(a[r3][k]), y, s3);
    }
    out[first][col] = f32(s0);
    out[first + 1][col] = f32(s1);
    out[first + 2][col] = f32(s2);
    out[first + 3][col] = f32(s3);
  },
);

/** out[i] = row rows[i] of x. */
export const gatherRows = kernel(
  { block: BLOCK, grid: (x, rows) => [Math.ceil(x.shape[1] / BLOCK), rows.shape[0]] },
  function gatherRows(x: Tensor<Half | "f32", 2>, rows: Tensor<"i32", 1>, out: Tensor<"f32", 2>) {
    const col = blockIdx.x * BLOCK + threadIdx.x;
    if (col < x.shape[1]) out[blockIdx.y][col] = f32(x[rows[blockIdx.y]][col]);
  },
);

/**
 * The largest |actual - expected| (worst[0], as the bits of an f32, whose order is that of the numbers; a NaN is larger than all), and how
 * many elements are further off than atol + rtol |expected| (misses[0]).
 */
export const compareWhole = kernel(
  {
    block: BLOCK,
    grid: (actual) => Math.min(2112, Math.ceil(actual.shape[0] / BLOCK)),
    dynamic: { actual: [0], expected: [0] },
  },
  function compareWhole(
    actual: Tensor<Half | "f32", 1>,
    expected: Tensor<Half | "f32", 1>,
    worst: Tensor<"i32", 1>,
    misses: Tensor<"i32", 1>,
    rtol: f32,
    atol: f32,
  ) {
    let largest = f32(0);
    let missed = 0;
    for (const i of range(blockIdx.x * blockDim.x + threadIdx.x, actual.shape[0], gridDim.x * blockDim.x)) {
      const want = f32(expected[i]),
        error = Math.abs(f32(actual[i]) - want);
      largest = Math.max(largest, error);
      if (!(error <= atol + rtol * Math.abs(want))) missed++;
    }
    worst.at(0).atomic("max", bitcast("i32", largest));
    misses.at(0).atomic("add", missed);
  },
);
