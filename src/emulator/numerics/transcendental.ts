/**
 * The approximate functions: computed in doubles and rounded to f32. The hardware's results differ from these by what the manual
 * allows (PTX ISA 9.7.3: 1 to 2 ulp; sin and cos 2^-20.5 absolute within [-pi, pi]; tanh 2^-10.987 relative).
 */
const least = 1.1754943508222875e-38;
/** Subnormal arguments count as zero where the instruction says `.ftz`. */
export const flush = (x: number): number => (Math.abs(x) < least ? x * 0 : x);

export const ex2 = (x: number): number => Math.fround(2 ** x);
export const lg2 = (x: number): number => Math.fround(Math.log2(x));
export const sin = (x: number): number => Math.fround(Math.sin(x));
export const cos = (x: number): number => Math.fround(Math.cos(x));
export const tanh = (x: number): number => Math.fround(Math.tanh(x));
export const rcp = (x: number): number => Math.fround(1 / x);
export const rsqrt = (x: number): number => Math.fround(1 / Math.sqrt(x));
export const squareRoot = (x: number): number => Math.fround(Math.sqrt(x));

/** min and max of PTX: a NaN loses against a number, unless `.NaN`; -0 < +0. */
export const minimum = (a: number, b: number): number => (Number.isNaN(a) ? b : Number.isNaN(b) ? a : Math.min(a, b));
export const maximum = (a: number, b: number): number => (Number.isNaN(a) ? b : Number.isNaN(b) ? a : Math.max(a, b));
export const saturate = (x: number): number => (x > 0 ? Math.min(x, 1) : 0);
