import type { Value } from "../../ir/index.ts";
import { constant } from "../numbers/constant.ts";
import { ln2Rest } from "./exponential.ts";
import { floatFunction, type Grade } from "./grade.ts";
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
} from "./values.ts";

/** ln((1 + s) / (1 - s)) / s in s², for |s| <= 0.1716: Chebyshev fits, within 2^-45 and 2^-60. */
const coefficients: Readonly<Record<Grade, readonly number[]>> = {
  f32: [1.9999999999999438, 0.6666666668024849, 0.3999999468037974, 0.2857218904379317, 0.22173253896019912, 0.19623069485942382],
  f64: [
    2, 0.6666666666666666, 0.39999999999999913, 0.28571428571464647, 0.22222222214351817, 0.18181819167034322,
    0.15384540423873683, 0.13336853793024261, 0.11665317804473661, 0.12059520233466915,
  ],
};

/** The bits of the double nearest to √½: numbers from there to √2 have the exponent 0 here. */
const leastBits = 0x3fe6a09e667f3bcdn;

/** ln x = k ln 2 + ln m with m in [√½, √2). */
interface Parts {
  readonly k: Value;
  readonly lnM: Value;
}

/** ln(1 + f) with s = f / (2 + f), its leading terms f - f²/2 apart, so that the rounding of s hardly counts (as in fdlibm). */
function preciseLn(f: Value, s: Value): Value {
  const halfSquare = mul(mul(f, f), number(0.5, f));
  const z = mul(s, s);
  const rest = mul(z, polynomial(z, coefficients.f64.slice(1)));
  return sub(f, sub(halfSquare, mul(s, add(halfSquare, rest))));
}

/** x: positive and finite. `excess`: what x is more than 1, exactly, where the caller knows it. */
function parts(x: Value, grade: Grade, excess?: Value): Parts {
  const small = grade === "f64" ? test(x, "lt", 2 ** -1022) : undefined;
  const scaled = small ? choose(small, mul(x, number(2 ** 54, x)), x) : x;
  const bits = recast(scaled, "i64");
  const exponent = shiftRight(sub(bits, constant(leastBits, "i64")), 52);
  const m = recast(sub(bits, shiftLeft(exponent, 52)), "f64");
  const whole = convert(exponent, "i32");
  const beyond = sub(m, number(1, x));
  const f = excess ? choose(test(whole, "eq", 0), excess, beyond) : beyond;
  const s = div(f, add(f, number(2, x)));
  const k = convert(whole, "f64");
  return {
    k: small ? sub(k, choose(small, number(54, x), number(0, x))) : k,
    lnM: grade === "f32" ? mul(s, polynomial(mul(s, s), coefficients.f32)) : preciseLn(f, s),
  };
}

/** -Infinity of 0, Infinity of itself, NaN of NaN and what is less than 0; else `inside`. */
function withLimits(x: Value, inside: Value): Value {
  const at = choose(test(x, "eq", Number.POSITIVE_INFINITY), x, number(Number.NaN, x));
  const outside = choose(test(x, "eq", 0), number(Number.NEGATIVE_INFINITY, x), at);
  return choose(both(test(x, "gt", 0), test(x, "lt", Number.POSITIVE_INFINITY)), inside, outside);
}

/** ln x in f64; `excess` as above. */
function lnOf(x: Value, grade: Grade, excess?: Value): Value {
  const { k, lnM } = parts(x, grade, excess);
  const low = grade === "f32" ? lnM : fused(k, number(ln2Rest, x), lnM);
  return withLimits(x, fused(k, number(Math.LN2, x), low));
}

/** ln(1 + x) in f64, also where 1 + x rounds to 1. */
export const log1pOf = (x: Value, grade: Grade): Value => lnOf(add(x, number(1, x)), grade, x);

/** log2 x in f64; exact for powers of two. */
export function log2Of(x: Value, grade: Grade): Value {
  const { k, lnM } = parts(x, grade);
  return withLimits(x, fused(lnM, number(Math.LOG2E, x), k));
}

function log10Of(x: Value, grade: Grade): Value {
  const { k, lnM } = parts(x, grade);
  return withLimits(x, fused(k, number(Math.log10(2), x), mul(lnM, number(Math.LOG10E, x))));
}

/** `Math.log`: within 0.51 ulp on f32, f16 and bf16, 1 ulp on f64. */
export const log = floatFunction({ name: "Math.log", wide: true, run: ([x], grade) => lnOf(x, grade) });
/** `Math.log1p`: within 0.51 ulp on f32, f16 and bf16, 3 ulp on f64; -0 of -0. */
export const log1p = floatFunction({
  name: "Math.log1p",
  wide: true,
  run: ([x], grade) => choose(test(x, "eq", 0), x, log1pOf(x, grade)),
});
/** `Math.log2`: within 0.51 ulp on f32, f16 and bf16, 2 ulp on f64; exact for powers of two. */
export const log2 = floatFunction({ name: "Math.log2", wide: true, run: ([x], grade) => log2Of(x, grade) });
/** `Math.log10`: within 0.51 ulp on f32, f16 and bf16, 2 ulp on f64. */
export const log10 = floatFunction({ name: "Math.log10", wide: true, run: ([x], grade) => log10Of(x, grade) });
