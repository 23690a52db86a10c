import { isInteger, type ScalarType, type Value } from "../../ir/index.ts";
import { power } from "../numbers/arithmetic.ts";
import { isWide } from "../numbers/integers.ts";
import { aType } from "../numbers/names.ts";
import { operand, wrap } from "../numbers/operands.ts";
import { failHere } from "../trace/fail-here.ts";
import { isStagedScalar } from "../trace/scalar.ts";
import { exp2, exp2OfSum, inTwoParts } from "./exponential.ts";
import { clamp, floatFunction } from "./float-function.ts";
import { binaryOf, rootHalfBits } from "./logarithm.ts";
import { reciprocal } from "./quotients.ts";
import {
  add,
  both,
  choose,
  convert,
  floats,
  fused,
  magnitude,
  mul,
  mulHigh,
  negate,
  not,
  number,
  polynomial,
  recast,
  root,
  roundTo,
  sub,
  test,
  withSign,
} from "./values.ts";

/** 2 / ln 2 in two parts. */
const twoOverLn2 = inTwoParts(2 * Math.LOG2E);
/** (log2((1 + s) / (1 - s)) - 2 s / ln 2) / s³ in s² for |s| <= 0.172. */
const log2Coefficients = [0.9617982506752014, 0.5767564177513123, 0.4309057295322418];

/** A sum of two f32, the second one below half an ulp of the first. */
interface Sum {
  readonly high: Value;
  readonly low: Value;
}

/** a + b in two parts where |a| >= |b|, or a is 0. */
function sumOf(a: Value, b: Value): Sum {
  const high = add(a, b);
  return { high, low: add(sub(a, high), b) };
}

/** log2 x to some 34 bits, x positive and finite: with s = f / (2 + f) in two parts. */
function log2InParts(x: Value): Sum {
  const { e, f } = binaryOf(x, rootHalfBits);
  const inverse = reciprocal(add(f, 2));
  const s = mul(f, inverse);
  const sRest = mul(fused(negate(s), f, fused(s, -2, f)), inverse);
  const square = mul(s, s);
  const [factor, factorRest] = twoOverLn2;
  const first = mul(s, factor);
  // The derivative of the logarithm by s is the factor / (1 - s²).
  const firstRest = fused(fused(sRest, square, sRest), factor, fused(s, factorRest, fused(s, factor, negate(first))));
  const higher = fused(mul(s, square), polynomial(square, log2Coefficients), firstRest);
  const whole = sumOf(e, first);
  return sumOf(whole.high, add(whole.low, higher));
}

/** x ** y for x >= 0, but for y = 0 and for the NaN of 1 ** ±Infinity, which comes out of 0 · Infinity. */
function positivePower(x: Value, y: Value): Value {
  const { high, low } = log2InParts(x);
  const finite = choose(test(x, "lt", Number.POSITIVE_INFINITY), high, x);
  const logarithm = choose(test(x, "eq", 0), Number.NEGATIVE_INFINITY, finite);
  const product = mul(logarithm, y);
  const rest = fused(low, y, fused(logarithm, y, negate(product)));
  // Beyond 2^8 the result is 0 or Infinity, and the rest may be NaN.
  const inRange = test(magnitude(product), "lt", 256);
  return exp2OfSum(clamp(product, -152, 130), choose(inRange, rest, number(0, x)));
}

/** x ** y with every special case of JavaScript. */
function powSingle(x: Value, y: Value): Value {
  const positive = positivePower(magnitude(x), y);
  const whole = test(roundTo(y, "zi"), "eq", y);
  const half = mul(y, 0.5);
  const odd = both(whole, test(roundTo(half, "zi"), "ne", half));
  const signed = choose(odd, withSign(positive, x), positive);
  const undefinedHere = both(both(test(x, "lt", 0), test(x, "gt", Number.NEGATIVE_INFINITY)), not(whole));
  const result = choose(undefinedHere, Number.NaN, signed);
  return choose(test(y, "eq", 0), 1, result);
}

const floatPow = floatFunction({ name: "Math.pow", single: powSingle });

/**
 * `a ** b` and `Math.pow`, of which one at least is staged. A whole static exponent is repeated multiplication: up to 64 of integers, up
 * to 3 of floats. Everything else is of floats: within 4 ulp on f32 (2 ulp of `2 ** x`), 0.51 ulp on f16 and bf16, with JavaScript's special
 * cases (anything ** 0 is 1, (±1) ** ±Infinity is NaN). Errors: W2706 for integers, W2702 for f64.
 */
export function pow(a: unknown, b: unknown): unknown {
  const base = operand(a, "**");
  const exponent = operand(b, "**");
  const whole = typeof exponent === "bigint" ? Number(exponent) : exponent;
  const small = typeof whole === "number" && Number.isInteger(whole) && whole >= 0 && whole <= 64;
  const isInt = isStagedScalar(base) && isInteger(base.type);
  if (isStagedScalar(base) && small && (isInt || whole <= 3)) return power(base, whole);
  if (isInt || isWide(base)) failHere("W2706", { base: isStagedScalar(base) ? aType(base.type) : "a bigint" });
  return base === 2 ? exp2(exponent) : floatPow(base, exponent);
}

/** ((1 - e)^(-2/3) - 1) / e for |e| <= 0.1093: the root is within 2^-29. */
const cbrtCoefficients = [
  0.6666667461395264, 0.5555555820465088, 0.4937756061553955, 0.45264339447021484, 0.4308202862739563, 0.4056716561317444,
];
/** The bits of what is nearly x^(-1/3) are these less a third of the bits of x. */
const inverseCbrtBits = 0x54a25c00;

/**
 * g (1 - e)^(-2/3) with t near x^(-1/3), g = x t² and e = 1 - x t³. Of t eight bits are kept, so that its square and its cube are exact.
 */
function cbrtSingle(x: Value): Value {
  // Scaled, so that no cube is subnormal.
  const isSmall = test(magnitude(x), "lt", 1);
  const scaled = mul(magnitude(x), choose(isSmall, 2 ** 24, number(2 ** -24, x)));
  const third = mulHigh(recast(scaled, "u32"), 0x55555556);
  const t = recast(both(sub(number(inverseCbrtBits, third), third), 0xffff0000), "f32");
  const square = mul(t, t);
  const e = fused(negate(scaled), mul(square, t), 1);
  const near = mul(scaled, square);
  const rest = fused(mul(e, polynomial(e, cbrtCoefficients)), near, fused(scaled, square, negate(near)));
  const inside = choose(test(scaled, "lt", Number.POSITIVE_INFINITY), add(near, rest), scaled);
  return withSign(mul(inside, choose(isSmall, 2 ** -8, number(2 ** 8, x))), x);
}

/** `Math.cbrt`: within 1 ulp on f32, 0.51 ulp on f16 and bf16; -0 of -0. Error: W2702 for f64. */
export const cbrt = floatFunction({ name: "Math.cbrt", single: cbrtSingle });

/** `Math.sqrt`: rounded to nearest even on every type; -0 of -0, NaN of what is less. PTX ISA 9.7.3. */
export function sqrt(x: unknown): unknown {
  const [value] = floats([x], "Math.sqrt");
  if (!value) return undefined;
  const small: ScalarType = value.type as ScalarType;
  // The root in f32 rounds to the same 11 or 8 bits as the exact one.
  const wide: Value = convert(value, small === "f64" ? "f64" : "f32");
  return wrap(convert(root(wide), small));
}
