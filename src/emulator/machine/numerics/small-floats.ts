/** f16, bf16 and the 8-bit floats: their bits to numbers, and numbers to their bits, rounded once. */
import { exponentOf, f32Bits, f32FromBits, power } from "./bits.ts";
import type { Rounding } from "./exact.ts";
import { roundTo } from "./rounding.ts";

interface Format {
  /** Significant bits, the hidden one included. */
  readonly precision: number;
  /** Of the smallest normal number. */
  readonly leastExponent: number;
  readonly max: number;
  readonly bits: number;
  readonly infinity: number;
  readonly nan: number;
}

const f16: Format = { precision: 11, leastExponent: -14, max: 65504, bits: 16, infinity: 0x7c00, nan: 0x7fff };
const bf16: Format = { precision: 8, leastExponent: -126, max: 3.3895313892515355e38, bits: 16, infinity: 0x7f80, nan: 0x7fff };
const e4m3: Format = { precision: 4, leastExponent: -6, max: 448, bits: 8, infinity: 0x7f, nan: 0x7f };
const e5m2: Format = { precision: 3, leastExponent: -14, max: 57344, bits: 8, infinity: 0x7c, nan: 0x7f };

function encode(x: number, format: Format, how: Rounding, saturate: boolean): number {
  const { precision, leastExponent, max, bits } = format;
  if (Number.isNaN(x)) return format.nan;
  const sign = x < 0 || Object.is(x, -0) ? 1 << (bits - 1) : 0;
  const rounded = Math.abs(roundTo(x, precision, leastExponent, how));
  const digits = precision - 1;
  if (rounded > max) {
    const clamped = saturate || (Number.isFinite(x) && (how === "rz" || (how === "rm" && x > 0) || (how === "rp" && x < 0)));
    return clamped ? sign | encode(max, format, "rz", false) : sign | format.infinity;
  }
  if (rounded < power(leastExponent)) return sign | (rounded / power(leastExponent - digits));
  const e = exponentOf(rounded);
  return sign | ((e - leastExponent + 1) << digits) | (rounded / power(e - digits) - (1 << digits));
}

export const f16Bits = (x: number): number => encode(x, f16, "rn", false);
export const bf16Bits = (x: number): number => encode(x, bf16, "rn", false);
export const f16BitsRounded = (x: number, how: Rounding, saturate: boolean): number => encode(x, f16, how, saturate);
export const bf16BitsRounded = (x: number, how: Rounding, saturate: boolean): number => encode(x, bf16, how, saturate);
/** `cvt.rn.satfinite`. */
export const e4m3Bits = (x: number): number => encode(x, e4m3, "rn", true);
export const e5m2Bits = (x: number): number => encode(x, e5m2, "rn", true);

function decodeF16(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const e = (bits >> 10) & 31;
  const m = bits & 1023;
  if (e === 31) return m === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return e === 0 ? sign * m * power(-24) : sign * (1024 + m) * power(e - 25);
}

const f16Values = Float32Array.from({ length: 65536 }, (_, bits) => decodeF16(bits));

export const f16Value = (bits: number): number => f16Values[bits] ?? 0;
export const bf16Value = (bits: number): number => f32FromBits(bits << 16);
export const e5m2Value = (bits: number): number => f16Value(bits << 8);
export function e4m3Value(bits: number): number {
  const sign = bits & 0x80 ? -1 : 1;
  const e = (bits >> 3) & 15;
  const m = bits & 7;
  if (e === 15 && m === 7) return Number.NaN;
  return e === 0 ? sign * m * power(-9) : sign * (8 + m) * power(e - 10);
}

/** A NaN of f64, by its upper word, keeps sign and as much of its mantissa as there is room for. */
export const nanOf64 = (high: number, type: "f16" | "bf16"): number =>
  ((high >>> 16) & 0x8000) | (type === "f16" ? 0x7e00 | ((high >>> 10) & 0x3ff) : 0x7fc0 | ((high >>> 13) & 0x7f));
/** The bits of one or two small floats with one NaN for all. */
export function oneNaN(bits: number, type: "f16" | "bf16"): number {
  const infinity = (type === "f16" ? f16 : bf16).infinity;
  const one = (half: number): number => ((half & 0x7fff) > infinity ? 0x7fff : half);
  return one(bits & 0xffff) | (one(bits >>> 16) << 16);
}

/** `.xorsign.abs`: signs for the magnitudes of one or two small floats; the one NaN has none. */
export function crossSigned(magnitudes: number, signs: number): number {
  const one = (half: number): number => (half === 0x7fff ? 0 : 0x8000);
  return magnitudes ^ (signs & (one(magnitudes & 0xffff) | (one(magnitudes >>> 16) << 16)));
}

const maxTf32 = 0x7f7fe000;
/** The bits of an f32 with 10 bits of mantissa. `rna`: ties away from zero. */
export function tf32Bits(x: number, how: "rna" | "rn" | "rz", saturate: boolean): number {
  // To the nearest with ties away is done on the bits, infinite or not (docs/hardware.md).
  if (Number.isNaN(x) && how !== "rna") return 0x7fffe000;
  const bits = f32Bits(x);
  if (how === "rna" && !Number.isFinite(x)) return (bits & ~0x1fff) - (saturate ? 0x2000 : 0);
  const half = how === "rz" ? 0 : how === "rna" ? 0x1000 : 0xfff + ((bits >>> 13) & 1);
  const rounded = (bits + half) & ~0x1fff;
  return saturate && (rounded & 0x7fffffff) > maxTf32 ? (rounded & (1 << 31)) | maxTf32 : rounded;
}
