/** The operands of a product that is tuned, and how results are checked: by kernels that share nothing with those of the products. */
import {
  bitcast,
  blockDim,
  blockIdx,
  type Device,
  type DeviceTensor,
  f32,
  f64,
  fma,
  gridDim,
  kernel,
  range,
  type Tensor,
  threadIdx,
} from "warpsmith";
import { gatedMatmulKernel } from "../matmul/gated.ts";
import { matmulKernel } from "../matmul/matmul.ts";
import { planOf } from "../matmul/plan/choose-plan.ts";
import type { Shape } from "../matmul/plan/plan.ts";
import type { HalfType, Problem } from "../matmul/problem/problem.ts";
import { fillNormal } from "./inputs.ts";
import type { Bench, Candidate } from "./types.ts";

/** A product, as the command line says it. */
export type Product = Pick<Problem, "m" | "n" | "k" | "dtype" | "aMajor" | "bMajor" | "lines" | "pair">;

const BLOCK = 128;

/** Silu of one sum times the other where there are two. */
function elementOf([first = 0, second]: readonly number[]): number {
  "use kernel";
  return second === undefined ? first : (first / (1 + Math.exp(-first))) * second;
}

/** The rows of a result that are summed in f64 beside it, and how far they are off: misses[0] counts elements that are NaN or further off than atol + rtol |expected|. */
const checkRows = kernel(
  { block: BLOCK, grid: (_a, _weights, rows, actual) => [Math.ceil(actual.shape[1] / BLOCK), rows.shape[0]] },
  function checkRows(
    a: Tensor<HalfType, 2>,
    weights: readonly Tensor<HalfType, 2>[],
    rows: Tensor<"i32", 1>,
    actual: Tensor<HalfType, 2>,
    misses: Tensor<"i32", 1>,
    rtol: f32,
    atol: f32,
  ) {
    const [row, col] = [rows.at(blockIdx.y).load(), blockIdx.x * BLOCK + threadIdx.x];
    if (col >= actual.shape[1]) return;
    const sums = weights.map((b) => {
      let sum = f64(0);
      for (const k of range(a.shape[1])) sum = fma(f64(a.at(row, k).load()), f64(b.at(k, col).load()), sum);
      return f32(sum);
    });
    const want = elementOf(sums);
    if (!(Math.abs(f32(actual.at(row, col).load()) - want) <= atol + rtol * Math.abs(want))) misses.at(0).atomic("add", 1);
  },
);

/** The largest difference of two results, as the bits of an f32, whose order is that of the numbers; a NaN is larger than all. */
const checkWhole = kernel(
  { block: BLOCK, grid: (x) => Math.min(2112, Math.ceil((x.shape[0] * x.shape[1]) / BLOCK)) },
  function checkWhole(actual: Tensor<HalfType, 2>, expected: Tensor<HalfType, 2>, worst: Tensor<"i32", 1>) {
    const [, n] = actual.shape;
    let largest = f32(0);
    for (const i of range(blockIdx.x * blockDim.x + threadIdx.x, actual.shape[0] * n, gridDim.x * blockDim.x)) {
      const [row, col] = [Math.trunc(i / n), i % n];
      largest = Math.max(largest, Math.abs(f32(actual.at(row, col).load()) - f32(expected.at(row, col).load())));
    }
    worst.at(0).atomic("max", bitcast("i32", largest));
  },
);

/** All rows of a small product; of a large one the first, the last, and some between. */
function rowsOf(m: number): readonly number[] {
  const most = 64;
  if (m <= most) return Array.from({ length: m }, (_, i) => i);
  return Array.from({ length: most }, (_, i) => Math.round((i * (m - 1)) / (most - 1)));
}

export class ProductBench implements Bench {
  readonly #device: Device;
  readonly #problem: Product;
  readonly #a: DeviceTensor<HalfType, 2>;
  /** B, or both of a pair. */
  readonly #weights: readonly DeviceTensor<HalfType, 2>[];
  readonly #out: DeviceTensor<HalfType, 2>;
  /** The first result whose rows were right: later ones are compared with all of it. */
  readonly #first: DeviceTensor<HalfType, 2>;
  #known = false;
  readonly #rows: DeviceTensor<"i32", 1>;
  readonly #counter: DeviceTensor<"i32", 1>;
  readonly sample: DeviceTensor;

  constructor(device: Device, problem: Product) {
    const { m, n, k, dtype, aMajor, bMajor, pair } = problem;
    const matrix = (rows: number, columns: number, transposed: boolean, seed = rows, deviation = 1) => {
      const made = device.empty(dtype, transposed ? [columns, rows] : [rows, columns]) as DeviceTensor<HalfType, 2>;
      fillNormal(made, seed, deviation);
      return transposed ? made.transpose(1, 0) : made;
    };
    this.#device = device;
    this.#problem = problem;
    this.#a = matrix(m, k, aMajor === "mn");
    // The product of two sums of N(0, k) is more than f16 holds.
    const weights = (seed: number) => matrix(k, n, bMajor === "k", seed, pair ? 1 / Math.sqrt(k) : 1);
    this.#weights = pair ? [weights(k), weights(k + 1)] : [weights(k)];
    this.#out = matrix(m, n, false);
    this.#first = matrix(m, n, false);
    this.#rows = device.tensor("i32", [rowsOf(m).length], rowsOf(m));
    this.#counter = device.zeros("i32", [1]);
    this.sample = this.#out.slice([0, 1], [0, Math.min(n, 256)]);
  }

  make(candidate: Candidate) {
    return this.#into(candidate, this.#out);
  }

  #into(candidate: Candidate, out: DeviceTensor<HalfType, 2>) {
    const { multiprocessors } = this.#device;
    const plan = planOf(candidate as Shape, { ...this.#problem }, multiprocessors);
    const [b, second] = this.#weights as readonly [DeviceTensor<HalfType, 2>, DeviceTensor<HalfType, 2>?];
    const {
      kernel: made,
      args,
      before,
    } = second ? gatedMatmulKernel(this.#a, b, second, { out, plan }) : matmulKernel(this.#a, b, { out, plan });
    // The same for every plan, and of operands that never change.
    for (const copy of before) copy.kernel.launch({}, ...copy.args);
    return { kernel: made, args: args as readonly unknown[] };
  }

  async verify(candidate: Candidate): Promise<string | undefined> {
    const out = this.#known ? this.#out : this.#first;
    const { kernel: made, args } = this.#into(candidate, out);
    out.fill(Number.NaN);
    made.launch({}, ...(args as Parameters<typeof made.launch> extends [unknown, ...infer A] ? A : never));
    await this.#device.sync();
    const { dtype, k, m, n, pair } = this.#problem;
    // Sums are N(0, k), or, of a pair, N(0, 1), and what one is off is multiplied with the other.
    const [rtol, atol] = [dtype === "f16" ? 2 ** -10 : 2 ** -7, pair ? 1e-2 : 2e-3 * Math.sqrt(k)];
    this.#counter.fill(0);
    // Tensors of the device stand for those in the kernel's list; HostArgs says so of whole parameters alone.
    checkRows.launch({}, this.#a, this.#weights as never, this.#rows, out, this.#counter, rtol, atol);
    const [missed = 0] = await this.#counter.read();
    if (missed > 0) return `${missed} of ${this.#rows.shape[0] * n} elements of ${this.#rows.shape[0]} rows are wrong`;
    if (!this.#known) {
      this.#known = true;
      return undefined;
    }
    this.#counter.fill(0);
    checkWhole.launch({}, out, this.#first, this.#counter);
    const worst = new Float32Array(Int32Array.from(await this.#counter.read()).buffer)[0] ?? Number.NaN;
    // Sums of other orders, rounded: two steps of the type at the largest of m n numbers of N(0, k), or of products of two of N(0, 1).
    const largest = Math.sqrt(2 * Math.log(m * n + 2));
    const far = 2 * rtol * (pair ? largest ** 2 : Math.sqrt(k) * largest) + atol;
    return worst <= far ? undefined : `it differs by ${worst} from another candidate, whose rows are right`;
  }

  [Symbol.dispose](): void {
    for (const tensor of [this.#a, ...this.#weights, this.#out, this.#first, this.#rows, this.#counter]) tensor.dispose();
  }
}
