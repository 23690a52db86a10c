import type { Value } from "../../ir/index.ts";
import { expDouble, expm1Double } from "./double/exponential.ts";
import { clamp, floatFunction } from "./float-function.ts";
import {
  add,
  approximate,
  choose,
  fused,
  magnitude,
  mul,
  negate,
  polynomial,
  recast,
  saturated,
  shiftLeft,
  shiftRight,
  sub,
  test,
} from "./values.ts";

/** 1.5 · 2^23: added to a number below 2^22 it rounds the number to an integer, whose low bits are those of the sum. */
export const roundingBias = 12582912;
/** What the exponent of an f32 is stored with. */
export const exponentBias = 127;

/** A number as the f32 nearest to it, and one nearest to the rest. */
export function inTwoParts(x: number): readonly [high: number, low: number] {
  const high = Math.fround(x);
  return [high, Math.fround(x - high)];
}

/** x - k · c, c in two parts. */
export const reducedBy = ([high, low]: readonly [number, number], k: Value, x: Value): Value =>
  fused(k, -low, fused(k, -high, x));
export const ln2 = inTwoParts(Math.LN2);

/** 2^k by the low bits of k + 127. */
const powerOfBiased = (biased: Value): Value => recast(shiftLeft(biased, 23), "f32");

const log2e = inTwoParts(Math.LOG2E);

/** The powers of two that both are normal numbers and have normal inverses go from 2^-126 to 2^126. */
const exponents = 126;

/**
 * 2^t · 2^k, x · `scale` = t + k, k the integer below, from -126 to 126: t is from 0 to 1, where `ex2` errs least (a negative operand counts 2^-23 too low, one
 * above 1 has a coarser rounding). k is found as a part of its range, in an instruction that keeps it there; beyond it t has the rest, and the product is rounded once where it is
 * subnormal, and Infinity by itself.
 */
function powerOfTwo(x: Value, scale: number, rest: (negativeK: Value) => Value): Value {
  const part = saturated(x, scale / (2 * exponents), (exponents - 0.5) / (2 * exponents));
  const sum = fused(part, 2 * exponents, roundingBias + 1);
  const t = rest(negate(sub(sum, roundingBias + exponentBias)));
  return mul(approximate("ex2.ftz", t), powerOfBiased(recast(sum, "i32")));
}
const expSingle = (x: Value): Value =>
  powerOfTwo(x, Math.LOG2E, (negativeK) => fused(x, log2e[1], fused(x, log2e[0], negativeK)));
const exp2Single = (x: Value): Value => powerOfTwo(x, 1, (negativeK) => add(x, negativeK));

/** 2^r for |r| <= 1/2, within 2^-28. */
const narrowExp2 = [
  1.0, 0.6931471824645996, 0.24022647738456726, 0.05550359562039375, 0.009618503041565418, 0.0013391007670269907,
  0.00015328038716688752,
];

/** x · 2^k by the sum k + `splitBias`, k from -152 to 130: in two factors, neither of which leaves the normal numbers. */
const splitBias = roundingBias + 2 * exponentBias;
function scaledBySplit(x: Value, sum: Value): Value {
  const k = recast(sum, "i32");
  const half = shiftRight(k, 1);
  return mul(mul(x, powerOfBiased(half)), powerOfBiased(sub(k, half)));
}

/** 2^(x + rest), x from -152 to 130, |rest| below 2^-12: exact where x is whole and there is no rest. */
export function exp2OfSum(x: Value, rest?: Value): Value {
  const sum = add(x, splitBias);
  const beyond = sub(x, sub(sum, splitBias));
  return scaledBySplit(polynomial(rest ? add(beyond, rest) : beyond, narrowExp2), sum);
}

/** 2^x, x from -126 to 127. */
export function exp2Normal(x: Value): Value {
  const bias = roundingBias + exponentBias;
  const sum = add(x, bias);
  return mul(polynomial(sub(x, sub(sum, bias)), narrowExp2), powerOfBiased(recast(sum, "i32")));
}

/** (e^r - 1 - r) / r² for |r| <= 0.41: e^r - 1 is within 2^-29. */
const expm1Coefficients = [
  0.5, 0.1666666567325592, 0.04166630282998085, 0.008333497680723667, 0.0013951280852779746, 0.00019819893350359052,
];

const expm1Near = (r: Value): Value => fused(mul(r, r), polynomial(r, expm1Coefficients), r);

/** factor · e^(x + rest), x from -104 to 0, rest below an ulp of x. */
export function expTimes(factor: Value, x: Value, rest: Value): Value {
  const sum = fused(x, Math.LOG2E, splitBias);
  const k = sub(sum, splitBias);
  const r = add(fused(k, -ln2[0], x), fused(k, -ln2[1], rest));
  return scaledBySplit(fused(expm1Near(r), factor, factor), sum);
}

/**
 * e^x - 1 = 2^k (e^r - 1) + (2^k - 1), half of it until the end: 2^128 is no f32. From 2^25 on 2^k - 1 has a rest, which the first product,
 * exact by itself, takes along.
 */
function expm1Single(x: Value): Value {
  const near = clamp(x, -18, 89);
  const bias = roundingBias + exponentBias - 1;
  // r from ln(3/4) to ln(3/2), as near as can be: e^r - 1 is at least -1/4 and below 1/2, and e^x - 1 at least 1/2 where k is 1.
  const sum = fused(sub(near, Math.log(0.75) + Math.LN2 / 2), Math.LOG2E, bias);
  const r = reducedBy(ln2, sub(sum, bias), near);
  const power = expm1Near(r);
  const half = powerOfBiased(recast(sum, "i32"));
  const below = sub(half, 0.5);
  const rest = sub(sub(half, below), 0.5);
  const result = mul(add(fused(power, half, rest), below), 2);
  return choose(test(magnitude(x), "lt", 2 ** -25), x, result);
}

/** `Math.exp`: within 2 ulp on f32, 0.51 ulp on f16 and bf16 (subnormal results too), 1 ulp on f64. */
export const exp = floatFunction({ name: "Math.exp", single: expSingle, double: expDouble });

/** `2 ** x`: within 2 ulp on f32, 0.51 ulp on f16 and bf16; exact where x is whole. */
export const exp2 = floatFunction({ name: "Math.pow", single: exp2Single });

/** `Math.expm1`: within 1 ulp on f32, 0.51 ulp on f16 and bf16, 2 ulp on f64; -0 of -0. */
export const expm1 = floatFunction({ name: "Math.expm1", single: expm1Single, double: expm1Double });
