/** The parts of a matrix that the lanes of a warp hold in their registers. */
import { decodeWords, elementBits, encodeWords, type MatrixElement, type ResultElement } from "./matrix-elements.ts";
import type { WarpRegisters } from "./types.ts";

/** Rows of registers; one of f64 has two words a lane. */
export interface Fragment<T extends MatrixElement = MatrixElement> {
  readonly type: T;
  readonly rows: readonly number[];
}

const wordsOf = (type: MatrixElement): 1 | 2 => (type === "f64" ? 2 : 1);

/** The words of a lane, register by register. */
export function laneWords({ i32 }: WarpRegisters, { type, rows }: Fragment, lane: number): Int32Array {
  const width = wordsOf(type);
  return Int32Array.from({ length: rows.length * width }, (_, w) => {
    const row = rows[Math.floor(w / width)] ?? 0;
    return i32[row + width * lane + (w % width)] ?? 0;
  });
}

export function setLaneWords({ i32 }: WarpRegisters, { type, rows }: Fragment, lane: number, words: Int32Array): void {
  const width = wordsOf(type);
  rows.forEach((row, r) => {
    for (let w = 0; w < width; w += 1) i32[row + width * lane + w] = words[width * r + w] ?? 0;
  });
}

/** Where element v of a lane stands in the matrix; elements count through the registers. */
export type Place = (lane: number, v: number) => number;

export function gather(warp: WarpRegisters, fragment: Fragment, place: Place): Float64Array {
  const each = Array.from({ length: 32 }, (_, lane) => decodeWords(fragment.type, laneWords(warp, fragment, lane)));
  const matrix = new Float64Array(32 * (each[0]?.length ?? 0));
  each.forEach((values, lane) => {
    values.forEach((value, v) => {
      matrix[place(lane, v)] = value;
    });
  });
  return matrix;
}

export function scatter(warp: WarpRegisters, fragment: Fragment<ResultElement>, place: Place, matrix: Float64Array): void {
  const count = (fragment.rows.length * 32 * wordsOf(fragment.type)) / elementBits[fragment.type];
  for (let lane = 0; lane < 32; lane += 1) {
    const values = Float64Array.from({ length: count }, (_, v) => matrix[place(lane, v)] ?? 0);
    setLaneWords(warp, fragment, lane, encodeWords(fragment.type, values));
  }
}
