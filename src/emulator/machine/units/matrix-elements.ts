/** Elements of the matrices that one warp multiplies, as numbers, by the words that hold them (PTX ISA 9.7.14.2). */
import { canonicalNaN, decodeBf16, encodeF16, floatTable } from "./floats.ts";
import type { WgmmaInput } from "./types.ts";

export type MatrixElement = WgmmaInput | "s4" | "u4" | "b1" | "f32" | "f64" | "s32";

export const elementBits: Readonly<Record<MatrixElement, number>> = {
  ...{ b1: 1, s4: 4, u4: 4, s8: 8, u8: 8, e4m3: 8, e5m2: 8, f16: 16, bf16: 16 },
  ...{ tf32: 32, f32: 32, s32: 32, f64: 64 },
};

const word = new Int32Array(1);
const single = new Float32Array(word.buffer);
function floatOf(bits: number): number {
  word[0] = bits;
  return single[0] ?? 0;
}

const tables = { e4m3: floatTable("e4m3"), e5m2: floatTable("e5m2"), f16: floatTable("f16") } as const;

/** Element e of a word. f64 has none: it fills two. */
export const decoders: Readonly<Record<Exclude<MatrixElement, "f64">, (bits: number, e: number) => number>> = {
  b1: (bits, e) => (bits >>> e) & 1,
  s4: (bits, e) => (bits << (28 - 4 * e)) >> 28,
  u4: (bits, e) => (bits >>> (4 * e)) & 15,
  s8: (bits, e) => (bits << (24 - 8 * e)) >> 24,
  u8: (bits, e) => (bits >>> (8 * e)) & 255,
  e4m3: (bits, e) => tables.e4m3[(bits >>> (8 * e)) & 255] ?? 0,
  e5m2: (bits, e) => tables.e5m2[(bits >>> (8 * e)) & 255] ?? 0,
  f16: (bits, e) => tables.f16[(bits >>> (16 * e)) & 0xffff] ?? 0,
  bf16: (bits, e) => decodeBf16((bits >>> (16 * e)) & 0xffff),
  // The tensor core does not look at the lowest 13 bits.
  tf32: (bits) => floatOf(bits & ~0x1fff),
  f32: (bits) => floatOf(bits),
  s32: (bits) => bits,
};

/** Elements of a register. */
export const perRegister = (type: MatrixElement): number => Math.max(1, 32 / elementBits[type]);

/** Every element of words, in order; words of f64 come in twos. */
export function decodeWords(type: MatrixElement, words: Int32Array): Float64Array {
  if (type === "f64") return new Float64Array(words.slice().buffer);
  const decode = decoders[type];
  const per = perRegister(type);
  const values = new Float64Array(words.length * per);
  for (let i = 0; i < values.length; i += 1) values[i] = decode(words[Math.floor(i / per)] ?? 0, i % per);
  return values;
}

/** A type that results can have. Halves and words are rounded, f64 are given as they are. */
export type ResultElement = "f16" | "f32" | "f64" | "s32";

/** A word of one element, or of two of f16, rounded. */
export function encodeWord(type: Exclude<ResultElement, "f64">, low: number, high: number): number {
  if (type === "s32") return low | 0;
  if (type === "f16") return encodeF16(Math.fround(low)) | (encodeF16(Math.fround(high)) << 16);
  if (Number.isNaN(low)) return canonicalNaN.f32;
  single[0] = low;
  return word[0] ?? 0;
}

/** The words of so many elements, rounded to the type. */
export function encodeWords(type: ResultElement, values: Float64Array): Int32Array {
  if (type === "f64") return new Int32Array(values.slice().buffer);
  const per = perRegister(type);
  const words = new Int32Array(values.length / per);
  for (let i = 0; i < words.length; i += 1) words[i] = encodeWord(type, values[per * i] ?? 0, values[per * i + per - 1] ?? 0);
  return words;
}
