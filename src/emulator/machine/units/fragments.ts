/** The parts of a matrix that the lanes of a warp hold in their registers. */
import { floatTable } from "./floats.ts";
import { decoders, encodeWord, type MatrixElement, perRegister, type ResultElement } from "./matrix-elements.ts";
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
export type ElementIndex = (lane: number, v: number) => number;
/** The same for every element, register by register, lane by lane. */
export type IndexTable = Int32Array;

export function tabulate({ type, rows }: Fragment, indexOf: ElementIndex): IndexTable {
  const per = perRegister(type);
  const table = new Int32Array(rows.length * 32 * per);
  for (let at = 0; at < table.length; at += 1) {
    const lane = Math.floor(at / per) % 32;
    table[at] = indexOf(lane, per * Math.floor(at / (32 * per)) + (at % per));
  }
  return table;
}

const halves = floatTable("f16");

/** The registers as doubles. */
const doublesOf = ({ i32 }: WarpRegisters): Float64Array => new Float64Array(i32.buffer, i32.byteOffset, i32.length >> 1);

export function gather(warp: WarpRegisters, { type, rows }: Fragment, table: IndexTable, matrix: Float64Array): void {
  const { i32, f32 } = warp;
  let at = 0;
  if (type === "f64") {
    const f64 = doublesOf(warp);
    for (const row of rows)
      for (let lane = 0; lane < 32; lane += 1) matrix[table[at++] as number] = f64[row / 2 + lane] as number;
    return;
  }
  if (type === "f32") {
    for (const row of rows) for (let lane = 0; lane < 32; lane += 1) matrix[table[at++] as number] = f32[row + lane] as number;
    return;
  }
  if (type === "f16") {
    for (const row of rows) {
      for (let lane = 0; lane < 32; lane += 1) {
        const word = i32[row + lane] as number;
        matrix[table[at++] as number] = halves[word & 0xffff] as number;
        matrix[table[at++] as number] = halves[word >>> 16] as number;
      }
    }
    return;
  }
  const decode = decoders[type];
  const per = perRegister(type);
  for (const row of rows) {
    for (let lane = 0; lane < 32; lane += 1) {
      const word = i32[row + lane] as number;
      for (let e = 0; e < per; e += 1) matrix[table[at++] as number] = decode(word, e);
    }
  }
}

export function scatter(
  warp: WarpRegisters,
  { type, rows }: Fragment<ResultElement>,
  table: IndexTable,
  matrix: Float64Array,
): void {
  const { i32 } = warp;
  const f64 = type === "f64" ? doublesOf(warp) : undefined;
  const per = perRegister(type);
  let at = 0;
  for (const row of rows) {
    for (let lane = 0; lane < 32; lane += 1) {
      const low = matrix[table[at] as number] as number;
      const high = matrix[table[at + per - 1] as number] as number;
      at += per;
      if (f64) f64[row / 2 + lane] = low;
      else if (type !== "f64") i32[row + lane] = encodeWord(type, low, high);
    }
  }
}
