/** Arithmetic in the roundings that JavaScript has not: `rz`, `rm`, `rp` (PTX ISA 9.7.3). Products and sums of f32 need no whole numbers. */
import { type ExactType, fmaExact } from "./exact.ts";
import { fma32Rounded, roundF32 } from "./rounding.ts";
import type { Rounding } from "./rounding-mode.ts";

export const fmaRounded = (a: number, b: number, c: number, how: Rounding, type: ExactType): number =>
  type === "f32" ? fma32Rounded(a, b, c, how) : fmaExact(a, b, c, how, type);
export const addRounded = (a: number, b: number, how: Rounding, type: ExactType): number => fmaRounded(a, 1, b, how, type);
/** The zero that is added to the exact product has its sign. */
export const mulRounded = (a: number, b: number, how: Rounding, type: ExactType): number =>
  type === "f32" ? roundF32(a * b, how) : fmaExact(a, b, Object.is(Math.sign(a) * Math.sign(b) * 0, -0) ? -0 : 0, how, type);
