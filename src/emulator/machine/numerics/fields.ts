/** Fields of bits and bytes in words (PTX ISA 9.7.1.16–24, 9.7.8, 9.7.9.7). Results of 64 bits as in `integers.ts`. */
import { fromBig, toSigned, toUnsigned } from "./integers.ts";

/** `bfe`, `bfi` (PTX ISA 9.7.1.20, 21). */
export function extractBits(a: number, position: number, length: number, signed: boolean): number {
  const at = position & 255;
  const count = length & 255;
  if (count === 0) return 0;
  const top = Math.min(at + count - 1, 31);
  const sign = signed && (a >>> top) & 1 ? -1 : 0;
  if (at > 31) return sign;
  const width = Math.min(count, 32 - at);
  const field = width === 32 ? a : (a >>> at) & ((1 << width) - 1);
  return width >= 32 ? field : sign === 0 ? field : field | (-1 << width);
}
export function insertBits(a: number, b: number, position: number, length: number): number {
  const at = position & 255;
  const count = length & 255;
  if (count === 0 || at > 31) return b;
  const mask = (count >= 32 ? -1 : (1 << count) - 1) << at;
  return (b & ~mask) | ((a << at) & mask);
}

/** Of 64 bits, positions and lengths beyond 255 are what they are (docs/hardware.md): beyond the word. */
const upTo64 = (x: number): number => Math.min(x >>> 0, 64);
export function extractBits64(low: number, high: number, position: number, length: number, signed: boolean): number {
  const count = upTo64(length);
  if (count === 0) return fromBig(0n);
  const field = (signed ? toSigned(low, high) : toUnsigned(low, high)) >> BigInt(upTo64(position));
  return fromBig(signed ? BigInt.asIntN(count, field) : BigInt.asUintN(count, field));
}
export function insertBits64(al: number, ah: number, bl: number, bh: number, position: number, length: number): number {
  const at = BigInt(upTo64(position));
  const mask = BigInt.asUintN(64, ((1n << BigInt(upTo64(length))) - 1n) << at);
  return fromBig((toUnsigned(bl, bh) & ~mask) | ((toUnsigned(al, ah) << at) & mask));
}

/** `lop3`: bit i of the table is the result for the bits of a, b, c that make i. */
export function lop3(a: number, b: number, c: number, table: number): number {
  let out = 0;
  for (let i = 0; i < 8; i++) if ((table >> i) & 1) out |= (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
  return out;
}

/** `prmt` without a mode: four of the eight bytes b:a, each perhaps replaced by its sign. */
export function permute(a: number, b: number, selector: number): number {
  let out = 0;
  for (let i = 0; i < 4; i++) {
    const s = (selector >> (4 * i)) & 15;
    const byte = ((s & 4 ? b : a) >>> (8 * (s & 3))) & 255;
    out |= (s & 8 ? (byte & 128 ? 255 : 0) : byte) << (8 * i);
  }
  return out;
}

export type PermuteMode = "f4e" | "b4e" | "rc8" | "ecl" | "ecr" | "rc16";
/** Which of the eight bytes becomes byte i, for the two bits of the selector. */
const sources: Readonly<Record<PermuteMode, (selector: number, i: number) => number>> = {
  f4e: (s, i) => s + i,
  b4e: (s, i) => (s - i) & 7,
  rc8: (s) => s,
  ecl: (s, i) => Math.max(s, i),
  ecr: (s, i) => Math.min(s, i),
  rc16: (s, i) => 2 * (s & 1) + (i & 1),
};
export function permuteBy(a: number, b: number, selector: number, mode: PermuteMode): number {
  let nibbles = 0;
  for (let i = 0; i < 4; i++) nibbles |= sources[mode](selector & 3, i) << (4 * i);
  return permute(a, b, nibbles);
}

/** `fns`: the place of the n-th bit that is set, from a place on, upwards or downwards; all ones where there is none. */
export function nthSet(mask: number, base: number, n: number): number {
  if (n === 0) return base >>> 0 < 32 && (mask >>> base) & 1 ? base : -1;
  // The one n without a magnitude (docs/hardware.md).
  if (n === -(2 ** 31)) return 0;
  const step = n > 0 ? 1 : -1;
  let left = Math.abs(n);
  for (let at = base >>> 0; at >= 0 && at < 32; at += step) {
    if ((mask >>> at) & 1) left -= 1;
    if (left === 0) return at;
  }
  return -1;
}

/** `szext`: the lowest bits of a, so many, extended by their sign or by zeros. Counts beyond 31 are too many, or wrap. */
export function extend(a: number, bits: number, clamp: boolean, signed: boolean): number {
  if (clamp && bits >>> 0 > 31) return a;
  const count = bits & 31;
  if (count === 0) return 0;
  return signed ? (a << (32 - count)) >> (32 - count) : a & (2 ** count - 1);
}

/** `bmsk`: so many ones from a place on. */
export function bitMask(place: number, width: number, clamp: boolean): number {
  if (clamp && place >>> 0 > 31) return 0;
  const from = -1 << (place & 31);
  const all = clamp && width >>> 0 > 31;
  const end = (place & 31) + (width & 31);
  return all || end > 31 ? from : from & ~(-1 << end);
}

/** `cvt.pack.sat`: a over b, each clamped to so many bits, over the lowest bits of c. */
export function packClamped(a: number, b: number, c: number, bits: number, signed: boolean): number {
  const least = signed ? -(2 ** (bits - 1)) : 0;
  const most = signed ? 2 ** (bits - 1) - 1 : 2 ** bits - 1;
  const one = (x: number): number => Math.min(Math.max(x, least), most) & (2 ** bits - 1);
  const two = one(b) | (one(a) << bits);
  return bits === 16 ? two : two | (c << (2 * bits));
}
