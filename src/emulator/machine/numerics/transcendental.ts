/**
 * The approximate functions: computed in doubles and rounded once by the caller, so that they are right but for what the last bit
 * of a double leaves open. The hardware's results differ from these by what the manual allows (PTX ISA 9.7.3, 9.7.4): div 2 ulp;
 * sqrt and lg2 about 2^-23; sin and cos 2^-20.5 absolute within [-pi, pi]; tanh 2^-10.987 relative. ex2, rcp and rsqrt of f32 have the
 * hardware's own bits (special-functions.ts).
 */
import { exponentOf, f32FromBits, f64FromBits, f64High } from "./bits.ts";
import { roundTo } from "./rounding.ts";

const least = 2 ** -126;
/** Subnormal arguments count as zero where the instruction says `.ftz`. */
export const flush = (x: number): number => (Math.abs(x) < least ? x * 0 : x);
/** The same of bf16, whose exponents are those of f32. */
export const flushBrain = flush;
/** The same of f16, before it is rounded: what is less than the least normal number does not become it (docs/hardware.md). */
export const flushHalf = (x: number): number => (Math.abs(x) < 2 ** -14 ? x * 0 : x);
/** A result of f32 rounded in any direction, flushed by what it was before. */
export const flushedBy = (exact: number, rounded: number): number =>
  exact !== 0 && Math.abs(exact) < least ? exact * 0 : rounded;
/** The bits of one or two f16, flushed. */
export function flushHalves(bits: number): number {
  const one = (half: number): number => ((half & 0x7c00) === 0 ? half & 0x8000 : half);
  return one(bits & 0xffff) | (one(bits >>> 16) << 16);
}

export const exp2 = (x: number): number => 2 ** x;

/** div.approx.f32: a divisor beyond 2^126 gives zero, or NaN under an infinity (PTX ISA 9.7.3.8). */
export const divApprox = (a: number, b: number): number =>
  Math.abs(b) > 2 ** 126 && Number.isFinite(b) ? Math.fround(a * 0 * Math.sign(b)) : Math.fround(a / b);

/** What `.approx.ftz.f64` reads of its operand, and what it leaves of its result: 20 bits of mantissa, nothing subnormal. */
function coarse(x: number, how: "rz" | "rn"): number {
  if (Number.isNaN(x)) return x;
  if (exponentOf(x) === -1023) return x * 0;
  return how === "rz" ? f64FromBits(0, f64High(x)) : roundTo(x, 21, -1022, "rn");
}
/** rcp.approx.ftz.f64, rsqrt.approx.ftz.f64 (PTX ISA 9.7.3.14, 9.7.3.17). */
export const rcpCoarse = (x: number): number => coarse(1 / coarse(x, "rz"), "rn");
export const rsqrtCoarse = (x: number): number => coarse(1 / Math.sqrt(coarse(x, "rz")), "rn");

/** min and max of PTX: a NaN loses against a number, unless `.NaN`; -0 < +0. */
export const minimum = (a: number, b: number): number => (Number.isNaN(a) ? b : Number.isNaN(b) ? a : Math.min(a, b));
export const maximum = (a: number, b: number): number => (Number.isNaN(a) ? b : Number.isNaN(b) ? a : Math.max(a, b));
export const saturate = (x: number): number => (x > 0 ? Math.min(x, 1) : 0);
const atomicNaN = f32FromBits(0x7fffffff);
/** What `atom.add.f32` leaves: of NaNs there is one (docs/hardware.md). */
export function atomicSum(old: number, x: number, flushes: boolean): number {
  const sum = flushes ? flush(Math.fround(flush(old) + flush(x))) : old + x;
  return Number.isNaN(sum) ? atomicNaN : sum;
}
