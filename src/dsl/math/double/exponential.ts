import type { Value } from "../../../ir/index.ts";
import { constant } from "../../numbers/constant.ts";
import {
  add,
  choose,
  convert,
  fused,
  mul,
  negate,
  polynomial,
  recast,
  shiftLeft,
  shiftRight,
  sub,
  test,
  withSign,
} from "../values.ts";

/** 1.5 · 2^52: added to a number below 2^51 it rounds the number to an integer, which then stands in the low bits. */
const roundingBias = 6755399441055744;
/** ln 2 less the double nearest to it. */
export const ln2Rest = 2.3190468138462996e-17;

/** (e^r - 1) / r for |r| <= ln(2) / 2: a Chebyshev fit, within 2^-59. */
const coefficients = [
  1, 0.5, 0.16666666666666666, 0.04166666666666669, 0.008333333333333335, 0.0013888888888871818, 0.00019841269841258463,
  2.4801587350262023e-5, 2.755731925643005e-6, 2.755725176435116e-7, 2.5052063419375788e-8, 2.0921626505365424e-9,
  1.6088953321915386e-10,
];

/** 2^k by the bits of a double; k an i64 of which the low 12 bits count. */
const powerOfTwo = (k: Value): Value => recast(add(shiftLeft(k, 52), 1023n << 52n), "f64");

/** x kept within the limits; NaN stays NaN. */
export function clampDouble(x: Value, low: number, high: number): Value {
  const most = choose(test(x, "gt", high), high, x);
  return choose(test(x, "lt", low), low, most);
}

/** An exponential as `scale · again · (rest + 1)`, two powers of two. */
interface Parts {
  readonly rest: Value;
  readonly scale: Value;
  readonly again: Value;
}

/** e^x in parts; x within [-760, 709.9], beyond which the result is 0 or Infinity anyway. */
function partsOf(x: Value): Parts {
  const near = clampDouble(x, -760, 709.9);
  const biased = fused(near, Math.LOG2E, roundingBias);
  const k = negate(sub(biased, roundingBias));
  const r = fused(k, ln2Rest, fused(k, Math.LN2, near));
  const rest = mul(r, polynomial(r, coefficients));
  const whole = convert(recast(biased, "i64"), "i32");
  const half = shiftRight(whole, 1);
  const [scale, again] = [half, sub(whole, half)].map((part) => powerOfTwo(convert(part, "i64")));
  if (!scale || !again) throw new Error("two powers");
  return { rest, scale, again };
}

export function expDouble(x: Value): Value {
  const { rest, scale, again } = partsOf(x);
  return mul(fused(scale, rest, scale), again);
}

/** e^x - 1 without cancellation, with the sign of x. scale · again may be 2^1024: half of it is added to half of the rest. */
export function expm1Double(x: Value): Value {
  const { rest, scale, again } = partsOf(x);
  const half = mul(scale, mul(again, constant(0.5, "f64")));
  return withSign(mul(fused(half, rest, sub(half, 0.5)), 2), x);
}
