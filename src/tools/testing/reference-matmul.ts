import { f16round } from "@petamoriken/float16";
import { checkOptions, display, optionsOf, refuseMore } from "../../base/diag/index.ts";
import { roundFloat } from "../../base/small-floats.ts";
import { fail } from "./errors.ts";
import { numbersOf } from "./numbers-of.ts";

/** The value that a type has for a number, rounded to nearest even. fp8 saturates, as conversions on the GPU do. */
const roundings = {
  f64: (value: number) => value,
  f32: Math.fround,
  tf32: (value: number) => roundFloat("tf32", value),
  f16: f16round,
  bf16: (value: number) => roundFloat("bf16", value),
  e4m3: (value: number) => roundFloat("e4m3", value),
  e5m2: (value: number) => roundFloat("e5m2", value),
};

/** Element types that a matrix product takes or gives. */
export type MatmulType = keyof typeof roundings;

/** The extents of a matrix product, [M, K] times [K, N]. */
export interface MatmulShape {
  /** Rows of A and of the product. */
  readonly M: number;
  /** Columns of B and of the product. */
  readonly N: number;
  /** Columns of A, rows of B. */
  readonly K: number;
  /** What the elements of both matrices are rounded to before they are multiplied. Default f16. */
  readonly input?: MatmulType;
  /** What each result is rounded to: the type of the tensor that it is compared with. Default f16. */
  readonly output?: MatmulType;
}

const shapeOptions = optionsOf<MatmulShape>("referenceMatmul()", { M: true, N: true, K: true, input: true, output: true });

function roundingOf(option: "input" | "output", type: MatmulType = "f16"): (value: number) => number {
  if (Object.hasOwn(roundings, type)) return roundings[type];
  const expected = `one of ${Object.keys(roundings)
    .map((name) => `"${name}"`)
    .join(", ")}`;
  return fail("W7901", { what: `\`${option}\` of referenceMatmul()`, given: display(type), expected });
}

/** Columns of B that are worked on at a time, so that they stay in the cache. */
const columns = 512;

/**
 * Row-major [M, K] times [K, N]: inputs rounded to `input`, products and sums in f64, each result rounded to `output`, both f16 unless
 * they are given. W7904 where a matrix has not that many elements; W7901 for a type that is none of floats.
 */
export function referenceMatmul(a: ArrayLike<number>, b: ArrayLike<number>, shape: MatmulShape): Float64Array {
  refuseMore(referenceMatmul, arguments);
  checkOptions(shape, shapeOptions);
  const { M, N, K } = shape;
  for (const [name, extent] of Object.entries({ M, N, K }))
    if (!Number.isSafeInteger(extent) || extent < 1)
      fail("W7901", { what: `${name} of referenceMatmul()`, given: display(extent), expected: "a whole number from 1" });
  const first = numbersOf("The first matrix of referenceMatmul()", a);
  const second = numbersOf("The second matrix of referenceMatmul()", b);
  if (first.length !== M * K) fail("W7904", { name: "a", given: first.length, rows: M, columns: K });
  if (second.length !== K * N) fail("W7904", { name: "b", given: second.length, rows: K, columns: N });
  const round = roundingOf("input", shape.input);
  const roundResult = roundingOf("output", shape.output);
  const left = Float64Array.from(first, (value) => round(value));
  const right = Float64Array.from(second, (value) => round(value));
  const result = new Float64Array(M * N);
  for (let n = 0; n < N; n += columns) {
    for (let m = 0; m < M; m++)
      addRow(left.subarray(m * K, (m + 1) * K), right, result.subarray(m * N + n, m * N + Math.min(n + columns, N)), n, N);
  }
  return result.map((value) => roundResult(value));
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
