/** Formats of 8 and 16 bits: bits of the mantissa, exponent bias, the bits of the greatest number, of overflow and of NaN. */
interface Format {
  readonly mantissa: number;
  readonly bias: number;
  readonly greatest: number;
  readonly overflow: number;
  readonly nan: number;
  readonly sign: number;
}

const formats = {
  f16: { mantissa: 10, bias: 15, greatest: 0x7bff, overflow: 0x7c00, nan: 0x7e00, sign: 0x8000 },
  bf16: { mantissa: 7, bias: 127, greatest: 0x7f7f, overflow: 0x7f80, nan: 0x7fc0, sign: 0x8000 },
  e4m3: { mantissa: 3, bias: 7, greatest: 0x7e, overflow: 0x7e, nan: 0x7f, sign: 0x80 },
  e5m2: { mantissa: 2, bias: 15, greatest: 0x7b, overflow: 0x7b, nan: 0x7f, sign: 0x80 },
} as const satisfies Readonly<Record<string, Format>>;
export type SmallFloat = keyof typeof formats;

function roundHalfEven(x: number): number {
  const low = Math.floor(x);
  const rest = x - low;
  return rest > 0.5 || (rest === 0.5 && low % 2 === 1) ? low + 1 : low;
}

/** The bits of a number in a small format, rounded to nearest even; 8-bit formats saturate. */
export function encodeSmallFloat(value: number, type: SmallFloat): number {
  const format: Format = formats[type];
  if (Number.isNaN(value)) return format.nan;
  const sign = value < 0 || Object.is(value, -0) ? format.sign : 0;
  const magnitude = Math.abs(value);
  if (magnitude === 0) return sign;
  if (magnitude === Number.POSITIVE_INFINITY) return sign | format.overflow;
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, magnitude);
  const exponent = Math.max((view.getUint16(0) >> 4) - 1023, 1 - format.bias);
  const bits = (exponent + format.bias - 1) * 2 ** format.mantissa + roundHalfEven(magnitude / 2 ** (exponent - format.mantissa));
  return sign | (bits > format.greatest ? format.overflow : bits);
}
