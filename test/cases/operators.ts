"use kernel";
/** The operators, each as a function that runs on the host as well as on the GPU. */

type Arithmetic = Readonly<Record<string, (a: number, b: number) => number>>;

/** On floats. */
export const floatOperators: Arithmetic = {
  add: (a, b) => a + b,
  sub: (a, b) => a - b,
  mul: (a, b) => a * b,
  div: (a, b) => a / b,
  rem: (a, b) => a % b,
};

/** On integers up to 32 bits where the result fits. */
export const intOperators: Arithmetic = {
  add: (a, b) => a + b,
  sub: (a, b) => a - b,
  mul: (a, b) => a * b,
};

/** On integers; where JavaScript gives no integer of the type, `| 0` of what it gives. */
export const divisions: Arithmetic = {
  rem: (a, b) => a % b,
  trunc: (a, b) => Math.trunc(a / b),
  floor: (a, b) => Math.floor(a / b),
  ceil: (a, b) => Math.ceil(a / b),
  round: (a, b) => Math.round(a / b),
};
export const absolute: Arithmetic = { abs: (a) => Math.abs(a) };

/** Modulo 2^32 whatever the operator gives, Infinity and NaN included: JavaScript's own meaning, also under `debug`. */
export const wrappedDivisions: Arithmetic = {
  or0: (a, b) => (a / b) | 0,
  not: (a, b) => ~(a / b),
  shl0: (a, b) => (a / b) << 0,
  remOr0: (a, b) => (a % b) | 0,
  truncOr0: (a, b) => Math.trunc(a / b) | 0,
  floorAnd: (a, b) => Math.floor(a / b) & 255,
  ceilXor: (a, b) => Math.ceil(a / b) ^ b,
  roundShr: (a, b) => Math.round(a / b) >> 3,
  absOr0: (a) => Math.abs(a) | 0,
};

/** The same, giving a u32. */
export const unsignedDivisions: Arithmetic = {
  ushr0: (a, b) => (a / b) >>> 0,
  remUshr: (a, b) => (a % b) >>> 1,
  floorUshr: (a, b) => Math.floor(a / b) >>> 2,
  absUshr: (a) => Math.abs(a) >>> 0,
};

/** On 32-bit integers of either sign, giving an i32. */
export const bitOperators: Arithmetic = {
  and: (a, b) => a & b,
  or: (a, b) => a | b,
  xor: (a, b) => a ^ b,
  shl: (a, b) => a << b,
  shr: (a, b) => a >> b,
  not: (a) => ~a,
  addWraps: (a, b) => (a + b) | 0,
  subWraps: (a, b) => (a - b) | 0,
};

/** The same, giving a u32. */
export const unsignedOperators: Arithmetic = {
  ushr: (a, b) => a >>> b,
  addWraps: (a, b) => (a + b) >>> 0,
  subWraps: (a, b) => (a - b) >>> 0,
};

export const wideOperators: Readonly<Record<string, (a: bigint, b: bigint) => bigint>> = {
  add: (a, b) => a + b,
  sub: (a, b) => a - b,
  mul: (a, b) => a * b,
};
export const wideDivisions: Readonly<Record<string, (a: bigint, b: bigint) => bigint>> = {
  div: (a, b) => a / b,
  rem: (a, b) => a % b,
};
export const wideBits: Readonly<Record<string, (a: bigint, b: bigint) => bigint>> = {
  and: (a, b) => a & b,
  or: (a, b) => a | b,
  xor: (a, b) => a ^ b,
  not: (a) => ~a,
};
export const wideShifts: Readonly<Record<string, (a: bigint, by: bigint) => bigint>> = {
  shl: (a, by) => a << by,
  shr: (a, by) => a >> by,
};

export const comparisons: Readonly<Record<string, (a: number, b: number) => boolean>> = {
  eq: (a, b) => a === b,
  ne: (a, b) => a !== b,
  lt: (a, b) => a < b,
  le: (a, b) => a <= b,
  gt: (a, b) => a > b,
  ge: (a, b) => a >= b,
};
export const wideComparisons: Readonly<Record<string, (a: bigint, b: bigint) => boolean>> = {
  eq: (a, b) => a === b,
  ne: (a, b) => a !== b,
  lt: (a, b) => a < b,
  le: (a, b) => a <= b,
  gt: (a, b) => a > b,
  ge: (a, b) => a >= b,
};

/** Values and truthiness. */
export const choices: Arithmetic = {
  select: (a, b) => (a < b ? a : b),
  and: (a, b) => a && b,
  or: (a, b) => a || b,
  not: (a, b) => (!a ? b : a),
  nested: (a, b) => (a > b ? (a > 1 ? a : b) : b),
  orElse: (a, b) => (a < b || b === 0 ? a : b),
  andThen: (a, b) => (a < b && b !== 0 ? a : b),
};

/** One operand. */
export const unaries: Readonly<Record<string, (a: number) => number>> = {
  neg: (a) => -a,
  plus: (a) => +a,
  increment: (a) => {
    let x = a;
    x++;
    ++x;
    x--;
    return x;
  },
};

export const extremes: Arithmetic = {
  min: (a, b) => Math.min(a, b),
  max: (a, b) => Math.max(a, b),
};
