import type { Value } from "../../ir/index.ts";
import { constant } from "../numbers/constant.ts";
import { floatFunction, type Grade } from "./grade.ts";
import { add, choose, div, magnitude, mul, number, polynomial, recast, root, sub, test, withSign } from "./values.ts";

/** atan(t) / t in t², for |t| <= tan(π/8): Chebyshev fits, within 2^-45 and 2^-58. */
const coefficients: Readonly<Record<Grade, readonly number[]>> = {
  f32: [
    0.9999999999999709, -0.3333333333061079, 0.1999999957899396, -0.14285689109208505, 0.11110352516271323, -0.09077957697852959,
    0.0756050759020815, -0.05862318419228131, 0.030474413179121935,
  ],
  f64: [
    1, -0.33333333333333326, 0.19999999999996984, -0.142857142853262, 0.1111111108511275, -0.09090908051683606,
    0.07692280936984261, -0.06666202887746199, 0.05876811026121022, -0.052171658995952996, 0.04498908246781451,
    -0.03337410224289962, 0.015099884864821963,
  ],
};
const tanEighth = Math.SQRT2 - 1;

/** atan(least / most) for 0 <= least <= most: 0 of 0 / 0, π/4 of Infinity / Infinity; NaN of NaN. */
function firstOctant(least: Value, most: Value, grade: Grade): Value {
  const one = number(1, least);
  const zero = number(0, least);
  const endless = test(most, "eq", Number.POSITIVE_INFINITY);
  const a = choose(endless, choose(test(least, "eq", Number.POSITIVE_INFINITY), one, mul(least, zero)), least);
  const b = choose(endless, one, choose(test(most, "eq", 0), one, most));
  // The sum of two f32 cannot overflow in f64; of two f64 it can, and of the quotient not.
  const [p, q] = grade === "f32" ? [a, b] : [div(a, b), one];
  const far = test(p, "gt", mul(q, number(tanEighth, q)));
  const t = div(choose(far, sub(p, q), p), choose(far, add(p, q), q));
  const near = mul(t, polynomial(mul(t, t), coefficients[grade]));
  return add(near, choose(far, number(Math.PI / 4, t), zero));
}

/** The angle of the point (x, y), y >= 0: 0 to π; a negative x counts by its sign bit. */
function halfTurn(y: Value, x: Value, grade: Grade): Value {
  const size = magnitude(x);
  const steep = test(y, "gt", size);
  const octant = firstOctant(choose(steep, size, y), choose(steep, y, size), grade);
  const quarter = choose(steep, sub(number(Math.PI / 2, x), octant), octant);
  return choose(test(recast(x, "i64"), "lt", constant(0n, "i64")), sub(number(Math.PI, x), quarter), quarter);
}

/** √(1 - x²) without cancellation; NaN where |x| > 1. */
const otherLeg = (x: Value): Value => {
  const one = number(1, x);
  return root(mul(sub(one, x), add(one, x)));
};

/** `Math.atan`: within 0.51 ulp on f32, f16 and bf16, 2 ulp on f64; -0 of -0. */
export const atan = floatFunction({
  name: "Math.atan",
  wide: true,
  odd: true,
  run: ([x], grade) => halfTurn(magnitude(x), number(1, x), grade),
});

/** `Math.atan2(y, x)`, with every sign of zero and infinity of JavaScript: within 0.51 ulp on f32, f16 and bf16, 3 ulp on f64. */
export const atan2 = floatFunction({
  name: "Math.atan2",
  wide: true,
  run: ([y, x], grade) => withSign(halfTurn(magnitude(y), x, grade), y),
});

/** `Math.asin`: within 0.51 ulp on f32, f16 and bf16, 3 ulp on f64; NaN beyond ±1, -0 of -0. */
export const asin = floatFunction({
  name: "Math.asin",
  wide: true,
  odd: true,
  run: ([x], grade) => halfTurn(magnitude(x), otherLeg(x), grade),
});

/** `Math.acos`: within 0.51 ulp on f32, f16 and bf16, 3 ulp on f64; NaN beyond ±1, 0 of 1. */
export const acos = floatFunction({ name: "Math.acos", wide: true, run: ([x], grade) => halfTurn(otherLeg(x), x, grade) });
