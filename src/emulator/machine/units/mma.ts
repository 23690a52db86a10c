/** `mma.sync`: one warp, fragments in registers (PTX ISA 9.7.14.5.1–14). */
import { type ElementIndex, gather, scatter, tabulate } from "./fragments.ts";
import { type MatrixElement, perRegister, type ResultElement } from "./matrix-elements.ts";
import type { WarpRegisters } from "./types.ts";
import { multiplyAdd, type WarpProduct, type WarpShape } from "./warp-product.ts";

/**
 * Element e of register r of lane 4 g + t, with E elements to a register: row g + 8 (r % 2), column E t + e + 4 E (r / 2); where A
 * has eight rows, row g, column E t + e + 4 E r.
 */
function indexA({ m, k }: WarpShape, type: MatrixElement): ElementIndex {
  const per = perRegister(type);
  const halves = m / 8;
  return (lane, v) => {
    const r = Math.floor(v / per);
    const row = (lane >> 2) + 8 * (r % halves);
    return row * k + per * (lane & 3) + (v % per) + 4 * per * Math.floor(r / halves);
  };
}
/** Row (along K) E t + e + 4 E r, column g; kept column by column. */
function indexB({ k }: WarpShape, type: MatrixElement): ElementIndex {
  const per = perRegister(type);
  return (lane, v) => (lane >> 2) * k + per * (lane & 3) + (v % per) + 4 * per * Math.floor(v / per);
}
/** Element v of an accumulator: row g + 8 (v / 2), column 2 t + v % 2. */
const indexC: ElementIndex = (lane, v) => 8 * ((lane >> 2) + 8 * (v >> 1)) + 2 * (lane & 3) + (v & 1);

/** Three matrices, which are filled from registers and one of which goes back to them. */
function prepare(
  { a, b, c, d }: QuadOperands,
  places: { readonly a: ElementIndex; readonly b: ElementIndex; readonly c: ElementIndex; readonly d: ElementIndex },
) {
  const tables = { a: tabulate(a, places.a), b: tabulate(b, places.b), c: tabulate(c, places.c), d: tabulate(d, places.d) };
  const matrices = [tables.a, tables.b, tables.c].map((table) => new Float64Array(table.length));
  const [left = new Float64Array(), right = new Float64Array(), sums = new Float64Array()] = matrices;
  return (warp: WarpRegisters, multiply: (left: Float64Array, right: Float64Array, sums: Float64Array) => void): void => {
    gather(warp, a, tables.a, left);
    gather(warp, b, tables.b, right);
    gather(warp, c, tables.c, sums);
    multiply(left, right, sums);
    scatter(warp, d, tables.d, sums);
  };
}
type QuadOperands = Pick<WarpProduct, "d" | "a" | "b" | "c">;

/** Makes what reads A, B and C, then writes D. */
export function warpMultiplier(product: WarpProduct): (warp: WarpRegisters) => void {
  const { shape, a, b, d } = product;
  const run = prepare(product, { a: indexA(shape, a.type), b: indexB(shape, b.type), c: indexC, d: indexC });
  const arithmetic = { ...product, aType: a.type, dType: d.type };
  return (warp) => run(warp, (left, right, sums) => multiplyAdd(shape, arithmetic, left, right, sums));
}

export interface QuadProduct extends QuadOperands {
  readonly layoutA: "row" | "col";
  readonly layoutB: "row" | "col";
}

const quadShape: WarpShape = { m: 8, n: 8, k: 4 };
/** Of lanes 0–3 and 16–19 together the first, and so on. */
const pairOf = (lane: number): number => (lane >> 2) & 3;
const lowerHalf = (lane: number): number => (lane >= 16 ? 4 : 0);
/** A row each of A and column of B, or a column and a row of half of them. */
const placeQuad =
  (lines: boolean): ElementIndex =>
  (lane, v) =>
    32 * pairOf(lane) + (lines ? 4 * ((lane & 3) + lowerHalf(lane)) + v : 4 * (v + lowerHalf(lane)) + (lane & 3));
const placeQuadC =
  (type: ResultElement): ElementIndex =>
  (lane, v) => {
    const half = type === "f16";
    const row = (half ? lane & 3 : (lane & 1) + (v & 2)) + lowerHalf(lane);
    return 64 * pairOf(lane) + 8 * row + (half ? v : (v & 4) + (lane & 2) + (v & 1));
  };

/** m8n8k4 of f16: each two quads of lanes multiply matrices of their own. */
export function quadMultiplier(product: QuadProduct): (warp: WarpRegisters) => void {
  const { layoutA, layoutB, a, c, d } = product;
  const run = prepare(product, {
    a: placeQuad(layoutA === "row"),
    b: placeQuad(layoutB === "col"),
    c: placeQuadC(c.type),
    d: placeQuadC(d.type),
  });
  const arithmetic = { aType: a.type, dType: d.type, satfinite: false };
  return (warp) =>
    run(warp, (left, right, sums) => {
      for (let q = 0; q < 4; q += 1) {
        const part = (matrix: Float64Array, size: number) => matrix.subarray(size * q, size * (q + 1));
        multiplyAdd(quadShape, arithmetic, part(left, 32), part(right, 32), part(sums, 64));
      }
    });
}
