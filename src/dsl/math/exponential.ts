import type { Value } from "../../ir/index.ts";
import { constant } from "../numbers/constant.ts";
import { clamp, floatFunction, type Grade } from "./grade.ts";
import { add, convert, fused, mul, negate, number, polynomial, recast, shiftLeft, shiftRight, sub } from "./values.ts";

/** 1.5 · 2^52: added to a number below 2^51 it rounds that to an integer, which then stands in the low bits. */
export const roundingBias = 6755399441055744;
/** ln 2 less the double nearest to it. */
export const ln2Rest = 2.3190468138462996e-17;

/** (e^r - 1) / r for |r| <= ln(2) / 2: Chebyshev fits, within 2^-37 and 2^-59. */
const coefficients: Readonly<Record<Grade, readonly number[]>> = {
  f32: [
    0.9999999999954904, 0.4999999999995492, 0.16666666786681544, 0.041666666786638516, 0.008333283435251635,
    0.0013888839007165947, 0.0001990763818511891, 2.4867939019493694e-5,
  ],
  f64: [
    1, 0.5, 0.16666666666666666, 0.04166666666666669, 0.008333333333333335, 0.0013888888888871818, 0.00019841269841258463,
    2.4801587350262023e-5, 2.755731925643005e-6, 2.755725176435116e-7, 2.5052063419375788e-8, 2.0921626505365424e-9,
    1.6088953321915386e-10,
  ],
};

/** 2^k by the bits of a double; k an i64 of which the low 12 bits count. */
const powerOfTwo = (k: Value): Value => recast(add(shiftLeft(k, 52), constant(1023n << 52n, "i64")), "f64");

/** An exponential as `scale · (rest + 1)`, `scale` a power of two in two factors where one double cannot hold it. */
interface Parts {
  readonly rest: Value;
  readonly scale: Value;
  readonly again: Value | undefined;
}

function parts(r: Value, biased: Value, grade: Grade): Parts {
  const rest = mul(r, polynomial(r, coefficients[grade]));
  const k = recast(biased, "i64");
  if (grade === "f32") return { rest, scale: powerOfTwo(k), again: undefined };
  const whole = convert(k, "i32");
  const half = shiftRight(whole, 1);
  return { rest, scale: powerOfTwo(convert(half, "i64")), again: powerOfTwo(convert(sub(whole, half), "i64")) };
}

/** e^x in parts; x within [-110, 100] for f32 and [-760, 709.9] for f64, beyond which the result is 0 or Infinity anyway. */
function naturalParts(x: Value, grade: Grade): Parts {
  const near = grade === "f32" ? clamp(x, -110, 100) : clamp(x, -760, 709.9);
  const biased = fused(near, number(Math.LOG2E, x), number(roundingBias, x));
  const k = negate(sub(biased, number(roundingBias, x)));
  const coarse = fused(k, number(Math.LN2, x), near);
  return parts(grade === "f32" ? coarse : fused(k, number(ln2Rest, x), coarse), biased, grade);
}

const joined = ({ rest, scale, again }: Parts): Value => {
  const value = fused(scale, rest, scale);
  return again ? mul(value, again) : value;
};

/** e^x in f64. */
export const expOf = (x: Value, grade: Grade): Value => joined(naturalParts(x, grade));

/** 2^x in f64 of f32 grade. */
export function exp2Of(x: Value): Value {
  const near = clamp(x, -200, 200);
  const biased = add(near, number(roundingBias, x));
  const r = mul(sub(near, sub(biased, number(roundingBias, x))), number(Math.LN2, x));
  return joined(parts(r, biased, "f32"));
}

/** e^x - 1 in f64 without cancellation: scale · rest + (scale - 1). */
export function expm1Of(x: Value, grade: Grade): Value {
  const { rest, scale, again } = naturalParts(x, grade);
  if (!again) return fused(scale, rest, sub(scale, number(1, x)));
  // scale · again may be 2^1024: half of it is added to half of the rest.
  const half = mul(again, number(0.5, x));
  const middle = fused(mul(scale, half), rest, sub(mul(scale, half), number(0.5, x)));
  return mul(middle, number(2, x));
}

/** `Math.exp`: within 0.51 ulp on f32, f16 and bf16 (subnormal results too), 1 ulp on f64. */
export const exp = floatFunction({ name: "Math.exp", wide: true, run: ([x], grade) => expOf(x, grade) });

/** `Math.expm1`: within 0.51 ulp on f32, f16 and bf16, 2 ulp on f64; -0 of -0. */
export const expm1 = floatFunction({ name: "Math.expm1", wide: true, odd: true, run: ([x], grade) => expm1Of(x, grade) });
