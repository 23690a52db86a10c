import type { Value } from "../../ir/index.ts";
import { acosDouble, asinDouble, atan2Double, atanDouble } from "./double/inverse-trigonometry.ts";
import { floatFunction } from "./float-function.ts";
import { nearRoot, reciprocal } from "./quotients.ts";
import {
  add,
  both,
  choose,
  differing,
  div,
  fused,
  greatest,
  least,
  magnitude,
  mul,
  negate,
  number,
  polynomial,
  recast,
  sub,
  test,
  withSign,
} from "./values.ts";

/** π/2 as a product of two f32, within 2^-45: a fused step adds it to an arc with one rounding. */
const halfPiFactors = [1.6832555532455444, 0.9331894516944885] as const;
const beforeQuarter = (arc: Value): Value => fused(number(halfPiFactors[0], arc), halfPiFactors[1], negate(arc));

/** (atan(t) / t - 1) / t² in t² for t <= 1. */
const atanCoefficients = [
  -0.33333152532577515, 0.19993767142295837, -0.14211001992225647, 0.10665768384933472, -0.07551655918359756, 0.04320463538169861,
  -0.016363102942705154, 0.002919393125921488,
];

/** atan(t) for 0 <= t <= 1; the sum with 0 keeps 0 what it is. */
function firstOctant(t: Value): Value {
  const square = mul(t, t);
  return fused(mul(square, polynomial(square, atanCoefficients)), t, t);
}

/** atan(|x|) is π/2 - atan(1 / |x|) beyond 1; of numbers beyond 2^64 it is π/2 rounded. */
function atanSingle(x: Value): Value {
  const size = least(magnitude(x), 2 ** 64);
  const steep = test(size, "gt", 1);
  const octant = firstOctant(choose(steep, reciprocal(size), size));
  return withSign(choose(steep, beforeQuarter(octant), octant), x);
}

/** The angle of the point (x, y): of its first octant the quotient of the lesser and the greater coordinate. */
function atan2Single(y: Value, x: Value): Value {
  const [width, height] = [magnitude(x), magnitude(y)];
  const [short, long] = [least(width, height), greatest(width, height)];
  // 0 of 0 / 0, 1 of Infinity / Infinity.
  const ratio = div(short, choose(test(long, "eq", 0), 1, long));
  const octant = firstOctant(choose(test(short, "eq", Number.POSITIVE_INFINITY), 1, ratio));
  const quarter = choose(test(height, "gt", width), sub(number(Math.PI / 2, x), octant), octant);
  const half = choose(test(recast(x, "i32"), "lt", 0), sub(number(Math.PI, x), quarter), quarter);
  return withSign(half, y);
}

/** (asin(t) / t - 1) / t² in t² for t <= 0.5625. */
const asinCoefficients = [
  0.16667014360427856, 0.07485099881887436, 0.04668736457824707, 0.018511751666665077, 0.05120357498526573,
];
/** Up to here the series is that of |x|; beyond, of √((1 - |x|) / 2), whose arc is half of the one to π/2. */
const near = 0.5625;
interface Arc {
  readonly isNear: Value;
  readonly arc: Value;
}

/** asin(|x|) where it is near 0, else asin(√((1 - |x|) / 2)); NaN beyond 1. */
function arcOf(x: Value): Arc {
  const size = magnitude(x);
  const isNear = test(size, "le", near);
  const square = choose(isNear, mul(size, size), fused(size, -0.5, 0.5));
  const t = choose(isNear, size, nearRoot(fused(size, -0.5, 0.5)));
  return { isNear, arc: fused(mul(square, polynomial(square, asinCoefficients)), t, t) };
}

function asinSingle(x: Value): Value {
  const { isNear, arc } = arcOf(x);
  return withSign(choose(isNear, arc, beforeQuarter(add(arc, arc))), x);
}

/** π/2 - asin(x) near 0, else twice the arc, or π less that. */
function acosSingle(x: Value): Value {
  const { isNear, arc } = arcOf(x);
  const [factor, other] = halfPiFactors;
  const isNegative = test(x, "lt", 0);
  const turns = choose(isNear, factor, choose(isNegative, 2 * factor, number(0, x)));
  const size = choose(isNear, negate(arc), add(arc, arc));
  const signed = differing(recast(size, "i32"), both(recast(x, "i32"), -(2 ** 31)));
  return fused(turns, other, recast(signed, "f32"));
}

/** `Math.atan`: within 2 ulp on f32, 0.51 ulp on f16 and bf16, 2 ulp on f64; -0 of -0. */
export const atan = floatFunction({ name: "Math.atan", single: atanSingle, double: atanDouble });

/** `Math.atan2(y, x)`, with every sign of zero and infinity of JavaScript: within 3 ulp on f32 and f64, 0.51 ulp on f16 and bf16. */
export const atan2 = floatFunction({ name: "Math.atan2", single: atan2Single, double: atan2Double });

/** `Math.asin`: within 2 ulp on f32, 0.51 ulp on f16 and bf16, 3 ulp on f64; NaN beyond ±1, -0 of -0. */
export const asin = floatFunction({ name: "Math.asin", single: asinSingle, double: asinDouble });

/** `Math.acos`: within 2 ulp on f32, 0.51 ulp on f16 and bf16, 3 ulp on f64; NaN beyond ±1, 0 of 1. */
export const acos = floatFunction({ name: "Math.acos", single: acosSingle, double: acosDouble });
