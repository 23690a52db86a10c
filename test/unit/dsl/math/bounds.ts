/** How far functions of f32 may be off, in ulp: what CUDA documents for its own (CUDA C++ Programming Guide, mathematical functions). */
export const singleBounds: Readonly<Record<string, number>> = {
  exp: 2,
  expm1: 1,
  log: 1,
  log1p: 1,
  log2: 1,
  log10: 2,
  sin: 2,
  cos: 2,
  tan: 4,
  asin: 2,
  acos: 2,
  atan: 2,
  sinh: 3,
  cosh: 2,
  tanh: 2,
  asinh: 3,
  acosh: 4,
  atanh: 3,
  cbrt: 1,
  sqrt: 0.5,
  erf: 2,
  erfc: 4,
  pow: 4,
  atan2: 3,
  hypot: 3,
};

/** Those of f16 and bf16, which are computed in f32 and rounded. */
export const smallBound = 0.51;
