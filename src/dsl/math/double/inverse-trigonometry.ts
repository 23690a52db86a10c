import type { Value } from "../../../ir/index.ts";
import { add, choose, div, magnitude, mul, number, polynomial, recast, root, sub, test, withSign } from "../values.ts";

/** atan(t) / t in t², for |t| <= tan(π/8): a Chebyshev fit, within 2^-58. */
const coefficients = [
  1, -0.33333333333333326, 0.19999999999996984, -0.142857142853262, 0.1111111108511275, -0.09090908051683606, 0.07692280936984261,
  -0.06666202887746199, 0.05876811026121022, -0.052171658995952996, 0.04498908246781451, -0.03337410224289962,
  0.015099884864821963,
];
const tanEighth = Math.SQRT2 - 1;

/** atan(least / most) for 0 <= least <= most: 0 of 0 / 0, π/4 of Infinity / Infinity; NaN of NaN. */
function firstOctant(least: Value, most: Value): Value {
  const one = number(1, least);
  const zero = number(0, least);
  const endless = test(most, "eq", Number.POSITIVE_INFINITY);
  const a = choose(endless, choose(test(least, "eq", Number.POSITIVE_INFINITY), one, mul(least, zero)), least);
  const b = choose(endless, one, choose(test(most, "eq", 0), one, most));
  // The sum of two f64 can overflow, the one of the quotient and 1 not.
  const quotient = div(a, b);
  const far = test(quotient, "gt", tanEighth);
  const t = div(choose(far, sub(quotient, one), quotient), choose(far, add(quotient, one), one));
  const near = mul(t, polynomial(mul(t, t), coefficients));
  return add(near, choose(far, Math.PI / 4, zero));
}

/** The angle of the point (x, y), y >= 0: 0 to π; a negative x counts by its sign bit. */
function halfTurn(y: Value, x: Value): Value {
  const size = magnitude(x);
  const steep = test(y, "gt", size);
  const octant = firstOctant(choose(steep, size, y), choose(steep, y, size));
  const quarter = choose(steep, sub(number(Math.PI / 2, x), octant), octant);
  return choose(test(recast(x, "i64"), "lt", 0n), sub(number(Math.PI, x), quarter), quarter);
}

/** √(1 - x²) without cancellation; NaN where |x| > 1. */
function otherLeg(x: Value): Value {
  const one = number(1, x);
  return root(mul(sub(one, x), add(one, x)));
}

export const atanDouble = (x: Value): Value => withSign(halfTurn(magnitude(x), number(1, x)), x);
export const atan2Double = (y: Value, x: Value): Value => withSign(halfTurn(magnitude(y), x), y);
export const asinDouble = (x: Value): Value => withSign(halfTurn(magnitude(x), otherLeg(x)), x);
export const acosDouble = (x: Value): Value => halfTurn(otherLeg(x), x);
