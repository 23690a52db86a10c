/** The floats narrower than f32, by their bits (PTX ISA 5.2.3): tables one way, rounding to nearest even the other. */

/** NaN as tensor cores and conversions give it. */
export const canonicalNaN = { f16: 0x7fff, bf16: 0x7fff, f32: 0x7fffffff } as const;

const word = new Int32Array(1);
const single = new Float32Array(word.buffer);

export type TableFloat = "f16" | "e4m3" | "e5m2";

const layouts: Readonly<Record<TableFloat, { bits: number; mantissa: number; bias: number }>> = {
  f16: { bits: 16, mantissa: 10, bias: 15 },
  e4m3: { bits: 8, mantissa: 3, bias: 7 },
  e5m2: { bits: 8, mantissa: 2, bias: 15 },
};

function decode(type: TableFloat, bits: number): number {
  const { bits: width, mantissa, bias } = layouts[type];
  const sign = bits >> (width - 1) ? -1 : 1;
  const exponent = (bits >> mantissa) & ((1 << (width - 1 - mantissa)) - 1);
  const fraction = bits & ((1 << mantissa) - 1);
  const top = (1 << (width - 1 - mantissa)) - 1;
  if (type === "e4m3") {
    if (exponent === top && fraction === 7) return Number.NaN;
  } else if (exponent === top) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  if (exponent === 0) return sign * fraction * 2 ** (1 - bias - mantissa);
  return sign * (1 + fraction / 2 ** mantissa) * 2 ** (exponent - bias);
}

const tables = new Map<TableFloat, Float32Array>();

/** Every value of the type, by its bits. */
export function floatTable(type: TableFloat): Float32Array {
  const known = tables.get(type);
  if (known) return known;
  const table = Float32Array.from({ length: 2 ** layouts[type].bits }, (_, bits) => decode(type, bits));
  tables.set(type, table);
  return table;
}

export function decodeBf16(bits: number): number {
  word[0] = bits << 16;
  return single[0] ?? 0;
}

/** The f16 nearest to an f32. */
export function encodeF16(value: number): number {
  single[0] = value;
  const bits = word[0] ?? 0;
  const sign = (bits >>> 16) & 0x8000;
  const magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000) return canonicalNaN.f16;
  if (magnitude >= 0x47800000) return sign | 0x7c00;
  if (magnitude < 0x38800000) {
    // A sum of 0.5 and up has steps of 2 ** -24, which are those of subnormal f16.
    word[0] = magnitude;
    single[0] = Math.fround((single[0] ?? 0) + 0.5);
    return sign | ((word[0] ?? 0) - 0x3f000000);
  }
  return sign | ((magnitude + 0xfff + ((magnitude >> 13) & 1) - 0x38000000) >> 13);
}

/** The bf16 nearest to an f32. */
export function encodeBf16(value: number): number {
  single[0] = value;
  const bits = word[0] ?? 0;
  if ((bits & 0x7fffffff) > 0x7f800000) return canonicalNaN.bf16;
  return ((bits + 0x7fff + ((bits >>> 16) & 1)) >>> 16) & 0xffff;
}

/** The bits of an f32 rounded to the 10 bits of mantissa that tf32 has. */
export function roundToTf32(bits: number): number {
  if ((bits & 0x7f800000) === 0x7f800000) return bits;
  return (bits + 0xfff + ((bits >>> 13) & 1)) & 0xffffe000;
}
