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

/** The carry or borrow that `addCarry64` and `subBorrow64` leave. */
export const carryOut = new Int32Array(1);
export function addCarry64(al: number, ah: number, bl: number, bh: number, carry: number): number {
  const low = (al >>> 0) + (bl >>> 0) + carry;
  const high = (ah >>> 0) + (bh >>> 0) + (low > 0xffffffff ? 1 : 0);
  carryOut[0] = high > 0xffffffff ? 1 : 0;
  return give(low, high);
}
export function subBorrow64(al: number, ah: number, bl: number, bh: number, borrow: number): number {
  const low = (al >>> 0) - (bl >>> 0) - borrow;
  const high = (ah >>> 0) - (bh >>> 0) - (low < 0 ? 1 : 0);
  carryOut[0] = high < 0 ? 1 : 0;
  return give(low, high);
}

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

/** Division by zero is unspecified (PTX ISA 9.7.1.7, 9.7.1.8): all ones, the remainder too, as the hardware gives. */
export const divS = (a: number, b: number): number => (b === 0 ? -1 : (a / b) | 0);
export const divU = (a: number, b: number): number => (b === 0 ? -1 : ((a >>> 0) / (b >>> 0)) | 0);
export const remS = (a: number, b: number): number => (b === 0 ? -1 : (a % b) | 0);
export const remU = (a: number, b: number): number => (b === 0 ? -1 : ((a >>> 0) % (b >>> 0)) | 0);
export const div64S = (al: number, ah: number, bl: number, bh: number): number =>
  (bl | bh) === 0 ? give(-1, -1) : fromBig(toSigned(al, ah) / toSigned(bl, bh));
export const div64U = (al: number, ah: number, bl: number, bh: number): number =>
  (bl | bh) === 0 ? give(-1, -1) : fromBig(toUnsigned(al, ah) / toUnsigned(bl, bh));
export const rem64S = (al: number, ah: number, bl: number, bh: number): number =>
  (bl | bh) === 0 ? give(-1, -1) : fromBig(toSigned(al, ah) % toSigned(bl, bh));
export const rem64U = (al: number, ah: number, bl: number, bh: number): number =>
  (bl | bh) === 0 ? give(-1, -1) : fromBig(toUnsigned(al, ah) % toUnsigned(bl, bh));

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

export const clz64 = (low: number, high: number): number => (high !== 0 ? Math.clz32(high) : 32 + Math.clz32(low));
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

/** `sad`: the distance of a and b, added to c. */
const distance64 =
  (less: typeof less64S) =>
  (al: number, ah: number, bl: number, bh: number, cl: number, ch: number): number => {
    const low = less(al, ah, bl, bh) ? sub64(bl, bh, al, ah) : sub64(al, ah, bl, bh);
    return add64(low, upper[0] ?? 0, cl, ch);
  };
export const distance64S = distance64(less64S);
export const distance64U = distance64(less64U);
