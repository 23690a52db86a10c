import type { DeviceTensor } from "warpsmith";
import { assertClose, randn, referenceMatmul } from "warpsmith/testing";
import type { LessonCase } from "../lesson.ts";

type Matrix = DeviceTensor<"f16", 2>;
/** The extents of C = A @ B: C is [M, N], A is [M, K]. */
export type Sizes = readonly [M: number, N: number, K: number];

/** C of f16, against a product summed in f64. */
const tolerance = { rtol: 1e-3, atol: 1e-1 };

/** The same matrices and their product again and again: references of large ones take seconds. */
const known = new Map<string, { a: Float32Array; b: Float32Array; c: Float64Array }>();

function problem([M, N, K]: Sizes) {
  const key = `${M} ${N} ${K}`;
  const before = known.get(key);
  if (before) return before;
  const a = randn(M * K, 1), b = randn(K * N, 2);
  const now = { a, b, c: referenceMatmul(a, b, { M, N, K }) };
  known.set(key, now);
  return now;
}

export interface ProductCase {
  readonly kernel: string;
  /** What is to be printed beside the extents. */
  readonly parameters: string;
  /** B is given as [N, K]. */
  readonly transposed?: boolean;
  launch(a: Matrix, b: Matrix, c: Matrix): void;
}

/** A product of f16 matrices of these extents. C begins as NaN. */
export const productCase = ({ kernel, parameters, transposed = false, launch }: ProductCase, sizes: Sizes): LessonCase => ({
  kernel,
  parameters: `${parameters} ${sizes.join("×")}`,
  tolerance: "rtol 1e-3 atol 1e-1",
  async run(gpu) {
    const [M, N, K] = sizes, { a, b, c } = problem(sizes);
    const right = transposed ? Float32Array.from(b, (_, i) => b[(i % K) * N + Math.floor(i / K)]) : b;
    using left = gpu.tensor("f16", [M, K], a), out = gpu.zeros("f16", [M, N]);
    using second = gpu.tensor("f16", transposed ? [N, K] : [K, N], right);
    out.fill(Number.NaN);
    launch(left, second, out);
    assertClose(await out.read(), c, tolerance);
  },
});
