import { f16round } from "@petamoriken/float16";
import { checkOptions, fail, optionsOf } from "../diag/index.ts";

/** The extents of a matrix product, [M, K] times [K, N]. */
export interface MatmulShape {
  /** Rows of A and of the product. */
  readonly M: number;
  /** Columns of B and of the product. */
  readonly N: number;
  /** Columns of A, rows of B. */
  readonly K: number;
}

const shapeOptions = optionsOf<MatmulShape>("referenceMatmul()", { M: true, N: true, K: true });

/** Columns of B that are worked on at a time, so that they stay in the cache. */
const columns = 512;

/**
 * Row-major [M, K] times [K, N]: inputs rounded to f16, products and sums in f64, each result rounded to f16. W7904 where a
 * matrix has not that many elements.
 */
export function referenceMatmul(a: ArrayLike<number>, b: ArrayLike<number>, shape: MatmulShape): Float64Array {
  checkOptions(shape, shapeOptions);
  const { M, N, K } = shape;
  if (a.length !== M * K) fail("W7904", { name: "a", given: a.length, rows: M, columns: K });
  if (b.length !== K * N) fail("W7904", { name: "b", given: b.length, rows: K, columns: N });
  const left = Float64Array.from(a, f16round);
  const right = Float64Array.from(b, f16round);
  const result = new Float64Array(M * N);
  for (let n = 0; n < N; n += columns) {
    for (let m = 0; m < M; m++)
      addRow(left.subarray(m * K, (m + 1) * K), right, result.subarray(m * N + n, m * N + Math.min(n + columns, N)), n, N);
  }
  return result.map(f16round);
}

/** `out += row @ right[:, start: start + out.length]`, four rows of `right` at a time. */
function addRow(row: Float64Array, right: Float64Array, out: Float64Array, start: number, stride: number): void {
  const width = out.length;
  let k = 0;
  for (; k + 4 <= row.length; k += 4) {
    const [r0 = 0, r1 = 0, r2 = 0, r3 = 0] = [row[k], row[k + 1], row[k + 2], row[k + 3]];
    const b0 = k * stride + start;
    const b1 = b0 + stride;
    const b2 = b1 + stride;
    const b3 = b2 + stride;
    for (let i = 0; i < width; i++) {
      out[i] = at(out, i) + (r0 * at(right, b0 + i) + r1 * at(right, b1 + i)) + (r2 * at(right, b2 + i) + r3 * at(right, b3 + i));
    }
  }
  for (; k < row.length; k++) {
    const r = row[k] ?? 0;
    const base = k * stride + start;
    for (let i = 0; i < width; i++) out[i] = at(out, i) + r * at(right, base + i);
  }
}

const at = (array: Float64Array, i: number): number => array[i] as number;
