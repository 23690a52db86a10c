/**
 * The floats narrower than f32: their bits, and rounding to them. Tracing, passes, lowering and the host's arrays all round here, so
 * that a literal is the same number wherever it is computed; the emulator has arithmetic of its own. Encodings: IEEE 754 binary16, bfloat16, OCP 8-bit floating point (E4M3, E5M2), and
 * tf32 as the upper 19 bits of an f32.
 */

export interface FloatFormat {
  readonly mantissa: number;
  readonly bias: number;
  readonly signBit: number;
  /** The largest finite value. */
  readonly maxBits: number;
  /** What too large a value becomes, and infinity with it: infinity, or the largest finite value. */
  readonly overflowBits: number;
  readonly infinityBits: number | undefined;
  readonly nanBits: number;
}

const ieee = (bits: number, mantissa: number, bias: number): FloatFormat => {
  const infinityBits = ((1 << (bits - 1)) - 1) & ~((1 << mantissa) - 1);
  const nanBits = infinityBits | (1 << (mantissa - 1));
  return {
    mantissa,
    bias,
    signBit: 1 << (bits - 1),
    maxBits: infinityBits - 1,
    overflowBits: infinityBits,
    infinityBits,
    nanBits,
  };
};

/** tf32 is here in its 19 bits. fp8 saturates, as the GPU's conversions do (PTX ISA, `cvt` with `.satfinite`). */
export const floatFormats = {
  f16: ieee(16, 10, 15),
  bf16: ieee(16, 7, 127),
  tf32: ieee(19, 10, 127),
  e4m3: { mantissa: 3, bias: 7, signBit: 0x80, maxBits: 0x7e, overflowBits: 0x7e, infinityBits: undefined, nanBits: 0x7f },
  e5m2: { mantissa: 2, bias: 15, signBit: 0x80, maxBits: 0x7b, overflowBits: 0x7b, infinityBits: 0x7c, nanBits: 0x7f },
} satisfies Record<string, FloatFormat>;

export type SmallFloat = keyof typeof floatFormats;

const double = new Float64Array(1);
const words = new Uint32Array(double.buffer);
const littleEndian = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1;
const high = littleEndian ? 1 : 0;
const wholeNumbers = 2 ** 52;
const smallestPower = -160;
const powersOfTwo = Float64Array.from({ length: 321 }, (_, i) => 2 ** (i + smallestPower));

/** The bits of a number, rounded once to nearest even. */
export function encodeFloat(format: FloatFormat, value: number): number {
  if (Number.isNaN(value)) return format.nanBits;
  double[0] = value;
  const top = words[high] ?? 0;
  const sign = top >>> 31 === 1 ? format.signBit : 0;
  const exponent = Math.max(((top >>> 20) & 0x7ff) - 1023, 1 - format.bias);
  if (exponent > format.bias + 1) return sign | format.overflowBits;
  // The mantissa as a number from 0 up to 2 ** (mantissa + 1): a sum beyond 2 ** 52 rounds to a whole number, ties to even.
  const power = powersOfTwo[format.mantissa - exponent - smallestPower] ?? 0;
  const scaled = Math.abs(value) * power + wholeNumbers - wholeNumbers;
  const bits = ((exponent + format.bias - 1) << format.mantissa) + scaled;
  return sign | (bits > format.maxBits ? format.overflowBits : bits);
}

/** The number that the bits stand for. */
export function decodeFloat(format: FloatFormat, bits: number): number {
  const magnitude = bits & (format.signBit - 1);
  const sign = bits & format.signBit ? -1 : 1;
  if (magnitude === format.infinityBits) return sign * Number.POSITIVE_INFINITY;
  if (magnitude > format.maxBits) return Number.NaN;
  const field = magnitude >>> format.mantissa;
  const fraction = magnitude & ((1 << format.mantissa) - 1);
  const whole = field === 0 ? fraction : fraction + (1 << format.mantissa);
  return sign * whole * (powersOfTwo[Math.max(field, 1) - format.bias - format.mantissa - smallestPower] as number);
}

/** The nearest number that the format has, ties to even. */
export const roundFloat = (name: SmallFloat, value: number): number =>
  decodeFloat(floatFormats[name], encodeFloat(floatFormats[name], value));

const tables = new Map<SmallFloat, Float32Array>();

/** Every value of a format of at most 16 bits, by its bits. */
export function decodeTable(name: Exclude<SmallFloat, "tf32">): Float32Array {
  const known = tables.get(name);
  if (known) return known;
  const format = floatFormats[name];
  const table = Float32Array.from({ length: format.signBit * 2 }, (_, bits) => decodeFloat(format, bits));
  tables.set(name, table);
  return table;
}
