/** Pairs of numbers by their bits, at the edges of a binary float. */

export interface FloatShape {
  readonly bits: 16 | 32 | 64;
  readonly mantissa: number;
}
export const floatShapes = {
  f16: { bits: 16, mantissa: 10 },
  bf16: { bits: 16, mantissa: 7 },
  f32: { bits: 32, mantissa: 23 },
  f64: { bits: 64, mantissa: 52 },
} as const satisfies Readonly<Record<string, FloatShape>>;

/** Zeros, the least and the greatest numbers, ones and their neighbours, infinities and NaNs with payloads; then their negatives. */
export function edgesOf({ bits, mantissa }: FloatShape): readonly bigint[] {
  const implicit = 1n << BigInt(mantissa);
  const infinity = ((1n << BigInt(bits - 1 - mantissa)) - 1n) << BigInt(mantissa);
  const one = (infinity >> 1n) & ~(implicit - 1n);
  const positive = [
    0n,
    1n,
    2n,
    implicit >> 1n,
    implicit - 1n,
    implicit,
    implicit + 1n,
    2n * implicit,
    one - BigInt(mantissa + 1) * implicit,
    one - BigInt(mantissa + 1) * implicit + 1n,
    one - BigInt(mantissa) * implicit,
    one - 1n,
    one,
    one + 1n,
    one + 2n,
    one + 3n,
    one + implicit,
    one + implicit + (implicit >> 1n),
    one + BigInt(mantissa) * implicit,
    one + BigInt(mantissa + 1) * implicit,
    infinity - implicit,
    infinity - 2n,
    infinity - 1n,
    infinity,
    infinity + 1n,
    infinity + (implicit >> 1n),
    infinity + (implicit >> 1n) + 5n,
    infinity + implicit - 9n,
    infinity + implicit - 1n,
  ];
  return [...positive, ...positive.map((x) => x | (1n << BigInt(bits - 1)))];
}

/** Little-endian. */
export function bytesOfBits(values: readonly bigint[], bits: number): Uint8Array {
  const view = new DataView(new ArrayBuffer((values.length * bits) / 8));
  values.forEach((value, i) => {
    if (bits === 8) view.setUint8(i, Number(value));
    else if (bits === 16) view.setUint16(2 * i, Number(value), true);
    else if (bits === 32) view.setUint32(4 * i, Number(value), true);
    else view.setBigUint64(8 * i, value, true);
  });
  return new Uint8Array(view.buffer);
}

/** Every edge with every edge. */
export const pairsOf = (edges: readonly bigint[]): readonly (readonly [bigint, bigint])[] =>
  edges.flatMap((a) => edges.map((b) => [a, b] as const));
