/**
 * `mma.sync` of shapes m16n8kK, one warp (PTX ISA 9.7.14.5), with elements of 8, 16 and 32 bits. Numerics are those of wgmma:
 * the products are summed in f32 from k = 0 on, then the accumulator is added.
 */
import { canonicalNaN, encodeF16, floatTable } from "./floats.ts";
import { inputBytes, registerReader } from "./register-elements.ts";
import type { WarpRegisters, WgmmaInput } from "./types.ts";

export interface MmaProduct {
  readonly k: number;
  readonly dType: "f32" | "f16" | "s32";
  readonly cType: "f32" | "f16" | "s32";
  readonly aType: WgmmaInput;
  readonly bType: WgmmaInput;
  /** Rows of the fragments' registers. */
  readonly d: readonly number[];
  readonly a: readonly number[];
  readonly b: readonly number[];
  readonly c: readonly number[];
  readonly satfinite: boolean;
  readonly warp: WarpRegisters;
}

const rows = 16;
const columns = 8;

/** Element e of register i of lane 4 g + t, with E elements to a register: row g + 8 (i % 2), column E t + e + 4 E (i / 2). */
function gatherA({ k, aType, a, warp }: MmaProduct): Float32Array {
  const values = new Float32Array(rows * k);
  const perRegister = 4 / inputBytes[aType];
  a.forEach((row, i) => {
    spread(warp, row, aType, (lane, e, value) => {
      const column = perRegister * (lane & 3) + e + 4 * perRegister * (i >> 1);
      values[((lane >> 2) + 8 * (i & 1)) * k + column] = value;
    });
  });
  return values;
}

/** Row (along K) E t + e + 4 E i, column g; kept column by column. */
function gatherB({ k, bType, b, warp }: MmaProduct): Float32Array {
  const values = new Float32Array(columns * k);
  const perRegister = 4 / inputBytes[bType];
  b.forEach((row, i) => {
    spread(warp, row, bType, (lane, e, value) => {
      values[(lane >> 2) * k + perRegister * (lane & 3) + e + 4 * perRegister * i] = value;
    });
  });
  return values;
}

function spread(
  { i32 }: WarpRegisters,
  row: number,
  type: WgmmaInput,
  put: (lane: number, element: number, value: number) => void,
): void {
  const word = new Int32Array(1);
  const read = registerReader(type, new Uint8Array(word.buffer));
  for (let lane = 0; lane < 32; lane += 1) {
    word[0] = i32[row + lane] ?? 0;
    for (let e = 0; e < 4 / inputBytes[type]; e += 1) put(lane, e, read(e));
  }
}

/** Reads A, B and C, then writes D. Element v of a lane's accumulator: row g + 8 (v / 2), column 2 t + v % 2. */
export function multiplyWarp(product: MmaProduct): void {
  const a = gatherA(product);
  const b = gatherB(product);
  const results = Array.from({ length: 4 }, (_, v) =>
    Float64Array.from({ length: 32 }, (_, lane) => {
      const sum = dot(a, ((lane >> 2) + 8 * (v >> 1)) * product.k, b, (2 * (lane & 3) + (v & 1)) * product.k, product.k);
      return readC(product, v, lane) + sum;
    }),
  );
  results.forEach((values, v) => void values.forEach((value, lane) => void writeD(product, v, lane, value)));
}

function dot(a: Float32Array, atA: number, b: Float32Array, atB: number, k: number): number {
  let sum = 0;
  for (let i = 0; i < k; i += 1) sum = Math.fround(sum + Math.fround((a[atA + i] ?? 0) * (b[atB + i] ?? 0)));
  return sum;
}

function readC({ cType, c, warp }: MmaProduct, v: number, lane: number): number {
  if (cType === "f32") return warp.f32[(c[v] ?? 0) + lane] ?? 0;
  if (cType === "s32") return warp.i32[(c[v] ?? 0) + lane] ?? 0;
  const packed = warp.i32[(c[v >> 1] ?? 0) + lane] ?? 0;
  return floatTable("f16")[(packed >>> (16 * (v & 1))) & 0xffff] ?? 0;
}

function writeD({ dType, d, warp, satfinite }: MmaProduct, v: number, lane: number, value: number): void {
  const { f32, i32 } = warp;
  if (dType === "f16") {
    const at = (d[v >> 1] ?? 0) + lane;
    const shift = 16 * (v & 1);
    i32[at] = ((i32[at] ?? 0) & ~(0xffff << shift)) | (encodeF16(Math.fround(value)) << shift);
    return;
  }
  const at = (d[v] ?? 0) + lane;
  if (dType === "s32") i32[at] = satfinite ? Math.max(-(2 ** 31), Math.min(2 ** 31 - 1, value)) : value;
  else if (Number.isNaN(value)) i32[at] = canonicalNaN.f32;
  else f32[at] = value;
}
