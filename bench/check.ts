import type { Device, DeviceTensor } from "warpsmith";
import { compareWhole, gatherRows, productRows, rowsAtOnce } from "./check-kernels.ts";
import { fillNormal } from "./inputs.ts";
import type { Half, Problem, Work } from "./problem.ts";
import { round } from "./stats.ts";

type Matrix = DeviceTensor<Half, 2>;

/** The operands of a case on the device, and room for its results. */
export interface Operands extends Disposable {
  /** By shape [M, K] and [K, N], whatever their layouts. */
  readonly a: Matrix;
  readonly b: Matrix;
  readonly out: Matrix;
  /** A second result, to compare with. */
  readonly expected: Matrix;
  /** Per column: in the matrices' type, and the same numbers in f32. */
  readonly bias: DeviceTensor<Half, 1>;
  readonly wideBias: DeviceTensor<"f32", 1>;
  readonly residual: Matrix;
}

/** N(0, 1) everywhere. */
export async function makeOperands(device: Device, { dtype, layout, m, n, k, work }: Problem): Promise<Operands> {
  const matrix = (rows: number, columns: number): Matrix => device.empty(dtype, [rows, columns]);
  const a = layout[0] === "t" ? matrix(k, m) : matrix(m, k),
    b = layout[1] === "t" ? matrix(n, k) : matrix(k, n),
    out = matrix(m, n),
    expected = matrix(m, n),
    bias = device.empty(dtype, [n]) as DeviceTensor<Half, 1>,
    residual = work === "relu-bias-residual" ? matrix(m, n) : matrix(1, n);
  [a, b, bias, residual].forEach((x, i) => {
    fillNormal(x as Matrix, i + 1);
  });
  const wideBias = device.tensor("f32", [n], (await bias.read()) as ArrayLike<number>);
  const all = [a, b, out, expected, bias, wideBias, residual];
  return {
    a: layout[0] === "t" ? a.transpose(1, 0) : a,
    b: layout[1] === "t" ? b.transpose(1, 0) : b,
    out,
    expected,
    bias,
    wideBias,
    residual,
    [Symbol.dispose]() {
      for (const tensor of all) tensor.dispose();
    },
  };
}

/** What an element may be off: half a unit of its type and a little, and what f32 sums of that many products may be. */
export const toleranceOf = ({ dtype, k }: Pick<Problem, "dtype" | "k">) => ({
  rtol: dtype === "f16" ? 2 ** -10 : 2 ** -7,
  atol: 2e-3 * Math.sqrt(k),
});

/** What a whole result may be off, |D - reference| / |reference|: rounding alone gives 2.1e-4 and 1.7e-3. */
const closeness: Readonly<Record<Half, number>> = { f16: 5e-4, bf16: 4e-3 };

/** How close the checked rows of a result are to sums in f64. */
export interface RowCheck {
  readonly pass: boolean;
  readonly rows: number;
  /** |D - reference| / |reference|, as norms over all rows. */
  readonly relative: number;
  readonly maxAbs: number;
  /** Elements beyond tolerance, NaN among them. */
  readonly misses: number;
}

/** Compares numbers of the host; pure. */
export function compareRows(actual: ArrayLike<number>, reference: ArrayLike<number>, rtol: number, atol: number) {
  let [error, norm, maxAbs, misses] = [0, 0, 0, 0];
  for (let i = 0; i < reference.length; i++) {
    const want = reference[i],
      off = Math.abs(actual[i] - want);
    error += off * off;
    norm += want * want;
    maxAbs = Math.max(maxAbs, off);
    if (!(off <= atol + rtol * Math.abs(want))) misses++;
  }
  return { relative: round(Math.sqrt(error / norm), 3), maxAbs: round(maxAbs, 3), misses };
}

/** All rows where there are no more than that; else random ones, the first and the last among them. */
function pickRows(m: number, count: number): readonly number[] {
  const random = (i: number): number => Math.floor(((Math.imul(i + 1, 0x9e3779b1) >>> 0) / 2 ** 32) * m);
  const pick = (i: number): number => (i === 0 ? 0 : i === 1 ? m - 1 : random(i));
  return Array.from({ length: count }, (_, i) => (m <= count ? Math.min(i, m - 1) : pick(i)));
}

const rowCount = 256;

/** A launch that does not end: nothing can be done with the device any more, not even closing it. */
export class Hang extends Error {}

/** Milliseconds that a launch may take: a thousand times what the slowest case needs. */
const patience = 20_000;

/** Waits for the device; throws a Hang where that takes too long. */
async function sync(device: Device): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Hang(`a launch has not ended after ${patience / 1000} s`)), patience);
  });
  await Promise.race([device.sync(), late]).finally(() => clearTimeout(timer));
}

/** Checks the results of one case. */
export class Checker implements Disposable {
  readonly #device: Device;
  readonly #problem: Problem;
  readonly #operands: Operands;
  readonly #rows: DeviceTensor<"i32", 1>;
  readonly #gathered: DeviceTensor<"f32", 2>;
  readonly #products: Promise<Float32Array>;

  constructor(device: Device, problem: Problem, operands: Operands) {
    this.#device = device;
    this.#problem = problem;
    this.#operands = operands;
    const count = Math.min(rowCount, Math.ceil(problem.m / rowsAtOnce) * rowsAtOnce);
    this.#rows = device.tensor("i32", [count], pickRows(problem.m, count));
    this.#gathered = device.empty("f32", [count, problem.n]);
    productRows.launch({}, operands.a, operands.b, this.#rows, this.#gathered);
    this.#products = this.#gathered.read();
  }

  /** Fills the result with NaN, launches once and compares rows with the reference. */
  async rows(launch: () => void, work: Work): Promise<RowCheck> {
    const { out } = this.#operands;
    const reference = await this.#reference(work);
    out.fill(Number.NaN);
    await this.#device.sync();
    launch();
    await sync(this.#device);
    gatherRows.launch({}, out, this.#rows, this.#gathered);
    const actual = await this.#gathered.read();
    const { rtol, atol } = toleranceOf(this.#problem);
    const found = compareRows(actual, reference, rtol, atol);
    return { pass: found.misses === 0 && found.relative <= closeness[this.#problem.dtype], rows: this.#rows.shape[0], ...found };
  }

  /** Every element of the result beside `expected`. */
  async whole(): Promise<{ readonly maxAbs: number; readonly misses: number }> {
    const { out, expected } = this.#operands;
    using worst = this.#device.zeros("i32", [1]);
    using misses = this.#device.zeros("i32", [1]);
    const { rtol, atol } = toleranceOf(this.#problem);
    const flat = (x: Matrix) => x.reshape(x.shape[0] * x.shape[1]);
    compareWhole.launch({}, flat(out), flat(expected), worst, misses, rtol, atol);
    const [bits, count] = [await worst.read(), await misses.read()];
    return { maxAbs: new Float32Array(bits.buffer, bits.byteOffset, 1)[0], misses: count[0] };
  }

  async #reference(work: Work): Promise<Float32Array> {
    const products = await this.#products;
    if (work === "product") return products;
    const { bias, residual } = this.#operands;
    const [perColumn, n] = [await bias.read(), this.#problem.n];
    const fused = products.map((x, i) => Math.max(x + Number(perColumn[i % n]), 0));
    if (work === "relu-bias") return fused;
    gatherRows.launch({}, residual, this.#rows, this.#gathered);
    const added = await this.#gathered.read();
    return fused.map((x, i) => x + added[i]);
  }

  [Symbol.dispose](): void {
    this.#rows.dispose();
    this.#gathered.dispose();
  }
}
