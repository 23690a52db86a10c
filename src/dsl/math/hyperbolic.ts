import type { Value } from "../../ir/index.ts";
import { tanhDouble } from "./double/hyperbolic.ts";
import { exponentBias, ln2, reducedBy, roundingBias } from "./exponential.ts";
import { floatFunction } from "./float-function.ts";
import { binaryOfSum, lnOfSum, log1pInside } from "./logarithm.ts";
import { nearRoot, quotient, reciprocal } from "./quotients.ts";
import {
  add,
  approximate,
  choose,
  fused,
  greatest,
  least,
  magnitude,
  mul,
  number,
  polynomial,
  recast,
  shiftLeft,
  sub,
  test,
  withSign,
} from "./values.ts";

/** sinh(r) / r and cosh(r) in r² for |r| <= ln(2) / 2, without their first coefficients 1. */
const sinhCoefficients = [0.1666654348373413, 0.008366545662283897];
const coshCoefficients = [0.5, 0.041666459292173386, 0.0013935432070866227];

/** Half of sinh(x) and cosh(x), x >= 0, from those of r = x - k ln 2 and of k ln 2. Nothing cancels, as e^x - e^-x would for a small x. */
function halves(x: Value): { readonly sinh: () => Value; readonly cosh: () => Value } {
  const near = least(x, 89.5);
  const bias = roundingBias + exponentBias - 2;
  const sum = fused(near, Math.LOG2E, bias);
  const r = reducedBy(ln2, sub(sum, bias), near);
  const square = mul(r, r);
  const sinhR = fused(mul(square, polynomial(square, sinhCoefficients)), r, r);
  const coshRest = mul(square, polynomial(square, coshCoefficients));
  // 2^(k-2) and 2^(-k-2); of k from 125 on the second one counts for nothing, and is 0.
  const bits = shiftLeft(recast(sum, "i32"), 23);
  const [up, down] = [bits, greatest(sub(number(250 * 2 ** 23, bits), bits), 0)].map((half) => recast(half, "f32"));
  if (!up || !down) throw new Error("two powers");
  const [more, less] = [add(up, down), sub(up, down)];
  return {
    sinh: () => fused(sinhR, more, fused(coshRest, less, less)),
    // `more` may have lost all of `down`.
    cosh: () => add(fused(sinhR, less, fused(coshRest, more, down)), up),
  };
}

/** Of a small x the square does not count; half of a subnormal number would lose a bit. */
function sinhSingle(x: Value): Value {
  const size = magnitude(x);
  return choose(test(size, "lt", 2 ** -12), x, withSign(mul(halves(size).sinh(), 2), x));
}
const coshSingle = (x: Value): Value => mul(halves(magnitude(x)).cosh(), 2);

/** (tanh(x) - x) / x³ in x² for |x| < 0.6, within 2^-23.5 of tanh(x) / x. */
const tanhCoefficients = [-0.333325982, 0.133131161, -0.0522118062, 0.015612632];

/** 1 - 2 / (e^2|x| + 1) where nothing cancels, else a polynomial. */
function tanhSingle(x: Value): Value {
  const size = magnitude(x);
  const power = approximate("ex2.ftz", mul(size, 2 * Math.LOG2E));
  const far = fused(approximate("rcp.ftz", add(power, 1)), -2, 1);
  const square = mul(x, x);
  const near = fused(mul(polynomial(square, tanhCoefficients), square), x, x);
  return withSign(choose(test(size, "lt", 0.6), near, far), x);
}

/** From here on 1 + x² is x². */
const far = 2 ** 30;

/** ln(1 + x) for x below `far`, else ln(2 x). */
function lnOfSumOrDouble(x: Value, isFar: Value): Value {
  const { e, f } = binaryOfSum(x);
  return lnOfSum({ e: add(e, choose(isFar, 1, number(0, x))), f });
}

/** ln(1 + (a + a² / (1 + √(1 + a²)))) of a = |x|. */
function asinhSingle(x: Value): Value {
  const size = magnitude(x);
  const isFar = test(size, "ge", far);
  const near = least(size, far);
  const below = add(nearRoot(fused(near, near, 1)), 1);
  const sum = fused(mul(near, near), reciprocal(below), near);
  const inside = lnOfSumOrDouble(choose(isFar, size, sum), isFar);
  const result = choose(test(size, "lt", Number.POSITIVE_INFINITY), inside, size);
  return choose(test(size, "lt", 2 ** -12), x, withSign(result, x));
}

/** ln(1 + (b + √(b² + 2b))) with b = x - 1. */
function acoshSingle(x: Value): Value {
  const isFar = test(x, "ge", far);
  const beyond = sub(least(x, far), 1);
  const sum = add(beyond, nearRoot(fused(beyond, beyond, add(beyond, beyond))));
  const inside = lnOfSumOrDouble(choose(isFar, x, sum), isFar);
  const result = choose(test(x, "lt", Number.POSITIVE_INFINITY), inside, x);
  return choose(test(x, "lt", 1), Number.NaN, result);
}

/** ln(1 + 2a / (1 - a)) / 2 of a = |x|. */
function atanhSingle(x: Value): Value {
  const size = magnitude(x);
  const ratio = quotient(add(size, size), sub(number(1, x), size));
  const outside = choose(test(size, "eq", 1), Number.POSITIVE_INFINITY, number(Number.NaN, x));
  const inside = choose(test(size, "lt", 1), mul(log1pInside(ratio), 0.5), outside);
  return withSign(inside, x);
}

/** `Math.sinh`: within 3 ulp on f32, 0.51 ulp on f16 and bf16; -0 of -0. Error: W2702 for f64. */
export const sinh = floatFunction({ name: "Math.sinh", single: sinhSingle });
/** `Math.cosh`: within 2 ulp on f32, 0.51 ulp on f16 and bf16. Error: W2702 for f64. */
export const cosh = floatFunction({ name: "Math.cosh", single: coshSingle });
/** `Math.tanh`: within 2 ulp on f32, 0.51 ulp on f16 and bf16, 3 ulp on f64; -0 of -0. */
export const tanh = floatFunction({ name: "Math.tanh", single: tanhSingle, double: tanhDouble });
/** `Math.asinh`: within 3 ulp on f32, 0.51 ulp on f16 and bf16; -0 of -0. Error: W2702 for f64. */
export const asinh = floatFunction({ name: "Math.asinh", single: asinhSingle });
/** `Math.acosh`: within 4 ulp on f32, 0.51 ulp on f16 and bf16; NaN below 1. Error: W2702 for f64. */
export const acosh = floatFunction({ name: "Math.acosh", single: acoshSingle });
/** `Math.atanh`: within 3 ulp on f32, 0.51 ulp on f16 and bf16; NaN beyond ±1, ±Infinity of ±1, -0 of -0. Error: W2702 for f64. */
export const atanh = floatFunction({ name: "Math.atanh", single: atanhSingle });
