/**
 * D = A B + C of one warp (PTX ISA 9.7.14). Floats are summed as wgmma does: the products in f32 from k = 0 on, then the
 * accumulator. f64 is a chain of fma from the accumulator on. Integers are exact.
 */

import type { Rounding } from "../numerics/exact.ts";
import { fmaExact } from "../numerics/exact.ts";
import { fma64 } from "../numerics/rounding.ts";
import type { Fragment } from "./fragments.ts";
import type { MatrixElement, ResultElement } from "./matrix-elements.ts";
import { tileEngine } from "./tile-engine.ts";

export interface WarpShape {
  readonly m: number;
  readonly n: number;
  readonly k: number;
}
export interface Arithmetic {
  readonly aType: MatrixElement;
  readonly dType: ResultElement;
  readonly satfinite: boolean;
  /** Of b1: how two bits are multiplied. */
  readonly bits?: "and" | "xor" | undefined;
  /** Of f64. */
  readonly round?: Rounding | undefined;
}

/** D = A B + C with its fragments in registers. n of `mma` is 8. */
export interface WarpProduct extends Omit<Arithmetic, "aType" | "dType"> {
  readonly shape: WarpShape;
  readonly d: Fragment<ResultElement>;
  readonly a: Fragment;
  readonly b: Fragment;
  readonly c: Fragment<ResultElement>;
}

/** A row of A, a column of B, and what is added: `k` elements from each start on. */
type Dot = (a: Float64Array, atA: number, b: Float64Array, atB: number, k: number, c: number) => number;

const integers: Dot = (a, atA, b, atB, k, c) => {
  let sum = c;
  for (let i = 0; i < k; i += 1) sum += (a[atA + i] ?? 0) * (b[atB + i] ?? 0);
  return sum;
};
const differing: Dot = (a, atA, b, atB, k, c) => {
  let sum = c;
  for (let i = 0; i < k; i += 1) sum += a[atA + i] === b[atB + i] ? 0 : 1;
  return sum;
};
const doubles =
  (how: Rounding): Dot =>
  (a, atA, b, atB, k, c) => {
    let sum = c;
    for (let i = 0; i < k; i += 1) {
      const [x, y] = [a[atA + i] ?? 0, b[atB + i] ?? 0];
      sum = how === "rn" ? fma64(x, y, sum) : fmaExact(x, y, sum, how, "f64");
    }
    return sum;
  };

function dotOf({ aType, bits, round }: Arithmetic): Dot {
  if (aType === "f64") return doubles(round ?? "rn");
  return aType === "b1" && bits === "xor" ? differing : integers;
}

/** Rows of A that a tile has; the elements of a row are as far apart. */
const tileRows = 64;

function multiplyFloats({ m, n, k }: WarpShape, a: Float64Array, b: Float64Array, c: Float64Array): void {
  const { a: left, b: right, sums, multiply } = tileEngine();
  for (let i = 0; i < m; i += 1) for (let x = 0; x < k; x += 1) left[x * tileRows + i] = a[i * k + x] as number;
  for (let j = 0; j < n; j += 1) for (let x = 0; x < k; x += 1) right[x * n + j] = b[j * k + x] as number;
  multiply(n, k, m);
  for (let i = 0; i < m * n; i += 1) c[i] = (c[i] as number) + (sums[i] as number);
}

const clamp = (x: number): number => Math.max(-(2 ** 31), Math.min(2 ** 31 - 1, x));

/** A by rows, B by columns, C by rows: becomes the result. */
export function multiplyAdd(
  { m, n, k }: WarpShape,
  arithmetic: Arithmetic,
  a: Float64Array,
  b: Float64Array,
  c: Float64Array,
): void {
  if (arithmetic.aType !== "f64" && arithmetic.dType !== "s32") {
    multiplyFloats({ m, n, k }, a, b, c);
    return;
  }
  const dot = dotOf(arithmetic);
  const clamps = arithmetic.dType === "s32" && arithmetic.satfinite;
  for (let i = 0; i < m; i += 1) {
    for (let j = 0; j < n; j += 1) {
      const value = dot(a, i * k, b, j * k, k, c[i * n + j] ?? 0);
      c[i * n + j] = clamps ? clamp(value) : value;
    }
  }
}
