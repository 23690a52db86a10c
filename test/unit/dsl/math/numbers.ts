const view = new DataView(new ArrayBuffer(8));

/** Numbers from a seed, the same each time: mulberry32. */
export function randomBits(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return (t ^ (t >>> 14)) >>> 0;
  };
}

export function f32OfBits(bits: number): number {
  view.setUint32(0, bits);
  return view.getFloat32(0);
}

/** The f32 next to x, `steps` up. */
export function nextF32(x: number, steps: number): number {
  view.setFloat32(0, x);
  view.setInt32(0, view.getInt32(0) + (x < 0 ? -steps : steps));
  return view.getFloat32(0);
}

/** The unit in the last place of an f32 or f64 of that size. */
export function ulpOf(x: number, type: "f32" | "f64"): number {
  const size = Math.abs(x);
  const [digits, least] = type === "f32" ? [23, -126] : [52, -1022];
  view.setFloat64(0, size);
  const exponent = Number((view.getBigUint64(0) >> 52n) & 2047n) - 1023;
  return 2 ** (Math.max(exponent, least) - digits);
}

export const specials: readonly number[] = [
  0,
  -0,
  1,
  -1,
  0.5,
  -0.5,
  1.5,
  -1.5,
  2,
  -2,
  2.5,
  -2.5,
  3,
  -3,
  0.2,
  -0.2,
  10,
  100,
  1000,
  -8,
  27,
  16777216,
  16777217,
  8388607.5,
  -8388607.5,
  0.49999997,
  -0.49999997,
  0.9999999,
  -0.9999999,
  1.0000001,
  2 ** -126,
  2 ** -149,
  -(2 ** -149),
  2 ** 127,
  -(2 ** 127),
  3.4028234663852886e38,
  -3.4028234663852886e38,
  88.7,
  88.75,
  89,
  -87.4,
  -103.9,
  -104,
  709,
  -745,
  1e-8,
  -1e-8,
  1e-30,
  20,
  -20,
  2 ** 39,
  2 ** 40,
  -(2 ** 39),
  Number.POSITIVE_INFINITY,
  Number.NEGATIVE_INFINITY,
  Number.NaN,
].map(Math.fround);
