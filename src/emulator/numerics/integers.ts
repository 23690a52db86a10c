/**
 * Integers of 64 bits as halves: functions return the lower half and leave the upper one in `upper[0]`. Division goes through
 * BigInt: it is rare.
 */
import { upper } from "./bits.ts";

export const toSigned = (low: number, high: number): bigint => (BigInt(high | 0) << 32n) | BigInt(low >>> 0);
export const toUnsigned = (low: number, high: number): bigint => (BigInt(high >>> 0) << 32n) | BigInt(low >>> 0);

export function fromBig(x: bigint): number {
  upper[0] = Number(BigInt.asIntN(32, x >> 32n));
  return Number(BigInt.asIntN(32, x));
}

function give(low: number, high: number): number {
  upper[0] = high;
  return low | 0;
}

/** Two halves as a result. */
export const join64 = (low: number, high: number): number => give(low, high);

export const add64 = (al: number, ah: number, bl: number, bh: number): number => {
  const low = (al >>> 0) + (bl >>> 0);
  return give(low, ah + bh + (low > 0xffffffff ? 1 : 0));
};
export const sub64 = (al: number, ah: number, bl: number, bh: number): number =>
  give(al - bl, ah - bh - (al >>> 0 < bl >>> 0 ? 1 : 0));

/** The 64 bits of a product of two unsigned 32-bit numbers. */
export function mulWideU(a: number, b: number): number {
  const a0 = a & 0xffff;
  const a1 = a >>> 16;
  const b0 = b & 0xffff;
  const b1 = b >>> 16;
  const middle = a1 * b0 + ((a0 * b0) >>> 16);
  const other = a0 * b1 + (middle & 0xffff);
  const high = a1 * b1 + Math.floor(middle / 65536) + Math.floor(other / 65536);
  return give(Math.imul(a, b), high | 0);
}
export function mulWideS(a: number, b: number): number {
  const low = mulWideU(a, b);
  upper[0] = (upper[0] ?? 0) - (a < 0 ? b : 0) - (b < 0 ? a : 0);
  return low;
}
export function mulHighU(a: number, b: number): number {
  mulWideU(a, b);
  return upper[0] ?? 0;
}
export function mulHighS(a: number, b: number): number {
  mulWideS(a, b);
  return upper[0] ?? 0;
}
export function mul64(al: number, ah: number, bl: number, bh: number): number {
  const low = mulWideU(al, bl);
  upper[0] = (upper[0] ?? 0) + Math.imul(al, bh) + Math.imul(ah, bl);
  return low;
}
export const mulHigh64U = (al: number, ah: number, bl: number, bh: number): number =>
  fromBig((toUnsigned(al, ah) * toUnsigned(bl, bh)) >> 64n);
export const mulHigh64S = (al: number, ah: number, bl: number, bh: number): number =>
  fromBig((toSigned(al, ah) * toSigned(bl, bh)) >> 64n);

/** Division by zero is unspecified (PTX ISA 9.7.1.7): all ones, and the dividend for the remainder, as the hardware gives. */
export const divS = (a: number, b: number): number => (b === 0 ? -1 : (a / b) | 0);
export const divU = (a: number, b: number): number => (b === 0 ? -1 : ((a >>> 0) / (b >>> 0)) | 0);
export const remS = (a: number, b: number): number => (b === 0 ? a : (a % b) | 0);
export const remU = (a: number, b: number): number => (b === 0 ? a : ((a >>> 0) % (b >>> 0)) | 0);
export const div64S = (al: number, ah: number, bl: number, bh: number): number =>
  (bl | bh) === 0 ? give(-1, -1) : fromBig(toSigned(al, ah) / toSigned(bl, bh));
export const div64U = (al: number, ah: number, bl: number, bh: number): number =>
  (bl | bh) === 0 ? give(-1, -1) : fromBig(toUnsigned(al, ah) / toUnsigned(bl, bh));
export const rem64S = (al: number, ah: number, bl: number, bh: number): number =>
  (bl | bh) === 0 ? give(al, ah) : fromBig(toSigned(al, ah) % toSigned(bl, bh));
export const rem64U = (al: number, ah: number, bl: number, bh: number): number =>
  (bl | bh) === 0 ? give(al, ah) : fromBig(toUnsigned(al, ah) % toUnsigned(bl, bh));

export const less64S = (al: number, ah: number, bl: number, bh: number): boolean => ah < bh || (ah === bh && al >>> 0 < bl >>> 0);
export const less64U = (al: number, ah: number, bl: number, bh: number): boolean =>
  ah >>> 0 < bh >>> 0 || (ah === bh && al >>> 0 < bl >>> 0);

/** Shifts by more than the width give zero, or the sign (PTX ISA 9.7.8.7). */
export const shl32 = (a: number, n: number): number => (n >>> 0 > 31 ? 0 : a << n);
export const shrU32 = (a: number, n: number): number => (n >>> 0 > 31 ? 0 : (a >>> n) | 0);
export const shrS32 = (a: number, n: number): number => a >> (n >>> 0 > 31 ? 31 : n);
export function shl64(low: number, high: number, n: number): number {
  const by = n >>> 0;
  if (by === 0) return give(low, high);
  if (by > 63) return give(0, 0);
  return by > 31 ? give(0, low << (by - 32)) : give(low << by, (high << by) | (low >>> (32 - by)));
}
export function shrU64(low: number, high: number, n: number): number {
  const by = n >>> 0;
  if (by === 0) return give(low, high);
  if (by > 63) return give(0, 0);
  return by > 31 ? give(high >>> (by - 32), 0) : give((low >>> by) | (high << (32 - by)), high >>> by);
}
export function shrS64(low: number, high: number, n: number): number {
  const by = n >>> 0;
  if (by === 0) return give(low, high);
  if (by > 63) return give(high >> 31, high >> 31);
  return by > 31 ? give(high >> (by - 32), high >> 31) : give((low >>> by) | (high << (32 - by)), high >> by);
}
/** `shf`: part of the 64 bits high:low, shifted. */
export const funnelLeft = (low: number, high: number, n: number, clamp: boolean): number => {
  const by = clamp ? Math.min(n >>> 0, 32) : n & 31;
  return by === 0 ? high : by === 32 ? low : (high << by) | (low >>> (32 - by));
};
export const funnelRight = (low: number, high: number, n: number, clamp: boolean): number => {
  const by = clamp ? Math.min(n >>> 0, 32) : n & 31;
  return by === 0 ? low : by === 32 ? high : (low >>> by) | (high << (32 - by));
};

export function popc32(a: number): number {
  let x = a - ((a >>> 1) & 0x55555555);
  x = (x & 0x33333333) + ((x >>> 2) & 0x33333333);
  return Math.imul((x + (x >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
export function reverse32(a: number): number {
  let x = a;
  x = ((x >>> 1) & 0x55555555) | ((x & 0x55555555) << 1);
  x = ((x >>> 2) & 0x33333333) | ((x & 0x33333333) << 2);
  x = ((x >>> 4) & 0x0f0f0f0f) | ((x & 0x0f0f0f0f) << 4);
  x = ((x >>> 8) & 0x00ff00ff) | ((x & 0x00ff00ff) << 8);
  return (x >>> 16) | (x << 16);
}

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

export function extractBits64(low: number, high: number, position: number, length: number, signed: boolean): number {
  const at = BigInt(position & 255);
  const count = length & 255;
  if (count === 0) return fromBig(0n);
  const field = (signed ? toSigned(low, high) : toUnsigned(low, high)) >> at;
  return fromBig(signed ? BigInt.asIntN(Math.min(count, 64), field) : BigInt.asUintN(count, field));
}
export function insertBits64(al: number, ah: number, bl: number, bh: number, position: number, length: number): number {
  const mask = BigInt.asUintN(64, ((1n << BigInt(length & 255)) - 1n) << BigInt(position & 255));
  return fromBig((toUnsigned(bl, bh) & ~mask) | ((toUnsigned(al, ah) << BigInt(position & 255)) & mask));
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
