// The matrices of one product on the device, and how its results are checked.
import type { Device, DeviceTensor } from "warpsmith";
import { compareRows, toleranceOf } from "./check.ts";
import { compareWhole, gatherRows, productRows } from "./check-kernels.ts";
import { applied, reluInto } from "./elementwise.ts";
import { fillNormal } from "./inputs.ts";
import type { Fusion } from "./problem.ts";

export type Matrix = DeviceTensor<"f16" | "f32", 2>;

const rowCount = 64;

/** What a result may be off: element by element, and all checked elements together. */
export interface Tolerance {
  readonly rtol: number;
  readonly atol: number;
  readonly relative: number;
}

/**
 * Sums in f32 as in `npm run bench`. A sum in f16 is rounded after each step of 16 along K, by at most 2^-11 of what it is then, about
 * 4 √(K / 16): the errors of all steps together are within 2^-11 √(K / 16) of the result, and three times that is allowed for steps that the
 * hardware takes apart.
 */
export function toleranceFor(size: number, sum: "f16" | "f32"): Tolerance {
  if (sum === "f32") return { ...toleranceOf({ dtype: "f16", k: size }), relative: 5e-4 };
  const relative = 3 * 2 ** -11 * Math.sqrt(size / 16);
  return { rtol: 2 ** -10, atol: 8 * relative * Math.sqrt(size), relative };
}

/** What a room is for. */
export interface RoomOptions {
  readonly size: number;
  readonly result: "f16" | "f32";
  readonly work: "product" | Fusion;
  /** "nt": B lies as [N, K]. */
  readonly layout: "nn" | "nt";
}

/** Everything of one size and type of result on the device. */
export class ProductRoom implements Disposable {
  readonly a: DeviceTensor<"f16", 2>;
  /** As it lies in memory. */
  readonly b: DeviceTensor<"f16", 2>;
  /** The matrix that is added: one row where none is. */
  readonly e: Matrix;
  /** Room for relu(A): one row where there is none. */
  readonly positive: DeviceTensor<"f16", 2>;
  readonly out: Matrix;
  readonly expected: Matrix;
  readonly #device: Device;
  readonly #rows: DeviceTensor<"i32", 1>;
  readonly #gathered: DeviceTensor<"f32", 2>;
  /** Computed when it is first asked for: a room that nothing is checked in has gone before it would be there. */
  readonly #expect: () => Promise<Float32Array>;
  #reference: Promise<Float32Array> | undefined;

  constructor(device: Device, { size, result, work, layout }: RoomOptions) {
    this.#device = device;
    const [adds, onInput] = [work === "add-matrix" || work === "add-matrix-relu", work === "relu-input"];
    this.a = device.empty("f16", [size, size]);
    this.b = device.empty("f16", [size, size]);
    fillNormal(this.a, 1);
    fillNormal(this.b, 2);
    this.e = device.empty(result, work === "product" ? [1, size] : [size, size]) as Matrix;
    if (adds) fillNormal(this.e, 3);
    this.positive = device.empty("f16", [onInput ? size : 1, size]);
    if (onInput) reluInto(this.a, this.positive);
    this.out = device.empty(result, [size, size]) as Matrix;
    this.expected = device.empty(result, [size, size]) as Matrix;
    const random = (i: number): number => Math.floor(((Math.imul(i + 1, 0x9e3779b1) >>> 0) / 2 ** 32) * size);
    const picked = Array.from({ length: rowCount }, (_, i) => (i === 0 ? 0 : i === 1 ? size - 1 : random(i)));
    this.#rows = device.tensor("i32", [rowCount], picked);
    this.#gathered = device.empty("f32", [rowCount, size]);
    this.#expect = () => this.#expectedRows(work, adds, onInput, layout === "nt" ? this.b.transpose(1, 0) : this.b);
  }

  /** Rows of the result by sums in f64; what comes behind the product is computed on the host. */
  async #expectedRows(
    work: RoomOptions["work"],
    adds: boolean,
    onInput: boolean,
    b: DeviceTensor<"f16", 2>,
  ): Promise<Float32Array> {
    productRows.launch({}, onInput ? this.positive : this.a, b, this.#rows, this.#gathered);
    const products = await this.#gathered.read();
    if (!adds) return products.map((x) => applied(work, x, 0));
    gatherRows.launch({}, this.e, this.#rows, this.#gathered);
    const added = await this.#gathered.read();
    return products.map((x, i) => applied(work, x, added[i] ?? Number.NaN));
  }

  /** Fills `into` with NaN, launches once, and compares rows with sums in f64. */
  async rows(launch: () => void, into: Matrix, { rtol, atol, relative }: Tolerance): Promise<readonly [boolean, number]> {
    this.#reference ??= this.#expect();
    const reference = await this.#reference;
    into.fill(Number.NaN);
    await this.#device.sync();
    launch();
    await this.#device.sync();
    gatherRows.launch({}, into, this.#rows, this.#gathered);
    const found = compareRows(await this.#gathered.read(), reference, rtol, atol);
    return [found.misses === 0 && found.relative <= relative, found.relative];
  }

  /** Is every element of `out` close to that of `expected`? */
  async whole({ rtol, atol }: Tolerance): Promise<boolean> {
    using worst = this.#device.zeros("i32", [1]);
    using misses = this.#device.zeros("i32", [1]);
    const flat = (x: Matrix) => x.reshape(x.shape[0] * x.shape[1]);
    compareWhole.launch({}, flat(this.out), flat(this.expected), worst, misses, rtol, atol);
    return (await misses.read())[0] === 0;
  }

  [Symbol.dispose](): void {
    const all = [this.a, this.b, this.e, this.positive, this.out, this.expected, this.#rows, this.#gathered];
    for (const x of all) x.dispose();
  }
}
