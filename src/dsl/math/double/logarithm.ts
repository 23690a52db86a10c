import type { Value } from "../../../ir/index.ts";
import {
  add,
  both,
  choose,
  convert,
  div,
  fused,
  mul,
  number,
  polynomial,
  recast,
  shiftLeft,
  shiftRight,
  sub,
  test,
} from "../values.ts";
import { ln2Rest } from "./exponential.ts";

/** ln((1 + s) / (1 - s)) / s in s², without its first coefficient 2, for |s| <= 0.1716: a Chebyshev fit, within 2^-60. */
const coefficients = [
  0.6666666666666666, 0.39999999999999913, 0.28571428571464647, 0.22222222214351817, 0.18181819167034322, 0.15384540423873683,
  0.13336853793024261, 0.11665317804473661, 0.12059520233466915,
];

/** The bits of the double nearest to √½: numbers from there to √2 have the exponent 0 here. */
const leastBits = 0x3fe6a09e667f3bcdn;

/** ln x = k ln 2 + ln m with m in [√½, √2). */
interface Parts {
  readonly k: Value;
  readonly lnM: Value;
}

/** ln(1 + f) with s = f / (2 + f), its leading terms f - f²/2 apart, so that the rounding of s hardly counts (as in fdlibm). */
function lnOfSum(f: Value, s: Value): Value {
  const halfSquare = mul(mul(f, f), 0.5);
  const z = mul(s, s);
  const rest = mul(z, polynomial(z, coefficients));
  return sub(f, sub(halfSquare, mul(s, add(halfSquare, rest))));
}

/** x: positive and finite. `excess`: what x is more than 1, exactly, where the caller knows it. */
function partsOf(x: Value, excess?: Value): Parts {
  const small = test(x, "lt", 2 ** -1022);
  const bits = recast(choose(small, mul(x, 2 ** 54), x), "i64");
  const exponent = shiftRight(sub(bits, leastBits), 52);
  const m = recast(sub(bits, shiftLeft(exponent, 52)), "f64");
  const whole = convert(exponent, "i32");
  const beyond = sub(m, 1);
  const f = excess ? choose(test(whole, "eq", 0), excess, beyond) : beyond;
  const s = div(f, add(f, 2));
  const k = convert(whole, "f64");
  return { k: sub(k, choose(small, 54, number(0, x))), lnM: lnOfSum(f, s) };
}

/** -Infinity of 0, Infinity of itself, NaN of NaN and what is less than 0; else `inside`. */
function withLimits(x: Value, inside: Value): Value {
  const at = choose(test(x, "eq", Number.POSITIVE_INFINITY), x, Number.NaN);
  const outside = choose(test(x, "eq", 0), Number.NEGATIVE_INFINITY, at);
  return choose(both(test(x, "gt", 0), test(x, "lt", Number.POSITIVE_INFINITY)), inside, outside);
}

export function lnDouble(x: Value, excess?: Value): Value {
  const { k, lnM } = partsOf(x, excess);
  return withLimits(x, fused(k, Math.LN2, fused(k, ln2Rest, lnM)));
}

/** ln(1 + x), also where 1 + x rounds to 1. */
export const log1pDouble = (x: Value): Value => choose(test(x, "eq", 0), x, lnDouble(add(x, 1), x));

/** log2 x; exact for powers of two. */
export function log2Double(x: Value): Value {
  const { k, lnM } = partsOf(x);
  return withLimits(x, fused(lnM, Math.LOG2E, k));
}

export function log10Double(x: Value): Value {
  const { k, lnM } = partsOf(x);
  return withLimits(x, fused(k, Math.log10(2), mul(lnM, Math.LOG10E)));
}
