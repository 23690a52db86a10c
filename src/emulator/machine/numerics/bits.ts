/** The same bits as numbers of another kind. Little-endian, as all machines that run JavaScript are. */

const buffer = new ArrayBuffer(8);
const f64 = new Float64Array(buffer);
const f32 = new Float32Array(buffer);
const i32 = new Int32Array(buffer);

/** What x86 makes of an invalid operation, and what the GPU makes of it (PTX ISA 9.7.3). */
const hostNan = 0xffc00000 | 0;
const gpuNan = 0x7fffffff;

/** Upper half of the 64-bit result that a helper gave last; the helper itself returns the lower half. */
export const upper = new Int32Array(1);

export function f32Bits(x: number): number {
  f32[0] = x;
  const bits = i32[0] ?? 0;
  return bits === hostNan ? gpuNan : bits;
}
export function f32FromBits(bits: number): number {
  i32[0] = bits;
  return f32[0] ?? 0;
}
export function f64Low(x: number): number {
  f64[0] = x;
  return i32[0] ?? 0;
}
export function f64High(x: number): number {
  f64[0] = x;
  return i32[1] ?? 0;
}
export function f64FromBits(low: number, high: number): number {
  i32[0] = low;
  i32[1] = high;
  return f64[0] ?? 0;
}

/** 2 ** e, for e from -1022 to 1023. */
export const power = (e: number): number => f64FromBits(0, (e + 1023) << 20);

/** The exponent of a normal number; -1023 for zero and subnormal ones. */
export const exponentOf = (x: number): number => ((f64High(x) >>> 20) & 0x7ff) - 1023;

/** The number next to x, away from zero where `outwards`. */
export function neighbour(x: number, outwards: boolean): number {
  f64[0] = x;
  const low = i32[0] ?? 0;
  if (outwards) {
    i32[0] = low + 1;
    if (low === -1) i32[1] = (i32[1] ?? 0) + 1;
  } else {
    i32[0] = low - 1;
    if (low === 0) i32[1] = (i32[1] ?? 0) - 1;
  }
  return f64[0] ?? 0;
}
