import type { Value } from "../../ir/index.ts";
import { expm1Of, expOf } from "./exponential.ts";
import { clamp, floatFunction, type Grade } from "./grade.ts";
import { log1pOf } from "./logarithm.ts";
import { add, choose, div, magnitude, mul, number, root, sub, test } from "./values.ts";

const half = (x: Value): Value => mul(x, number(0.5, x));
const plusOne = (x: Value): Value => add(x, number(1, x));

/** (u + u / (u + 1)) / 2 with u = e^x - 1. */
function sinhOf(x: Value): Value {
  const u = expm1Of(x, "f32");
  return half(add(u, div(u, plusOne(u))));
}

function coshOf(x: Value): Value {
  const power = expOf(magnitude(x), "f32");
  return half(add(power, div(number(1, x), power)));
}

/** u / (u + 2) with u = e^2x - 1; beyond 20 it is 1 in f64 too. */
function tanhOf(x: Value, grade: Grade): Value {
  const near = clamp(x, 0, 20);
  const u = expm1Of(add(near, near), grade);
  return div(u, add(u, number(2, x)));
}

/** ln(1 + (x + x² / (1 + √(1 + x²)))). The square of an f32 does not overflow. */
function asinhOf(x: Value): Value {
  const square = mul(x, x);
  const endless = test(x, "eq", Number.POSITIVE_INFINITY);
  const more = add(x, div(square, plusOne(root(plusOne(square)))));
  return choose(endless, x, log1pOf(more, "f32"));
}

function acoshOf(x: Value): Value {
  const beyond = sub(x, number(1, x));
  const inside = log1pOf(add(beyond, root(mul(beyond, plusOne(x)))), "f32");
  return choose(test(x, "ge", 1), inside, number(Number.NaN, x));
}

function atanhOf(x: Value): Value {
  return half(log1pOf(div(add(x, x), sub(number(1, x), x)), "f32"));
}

/** `Math.sinh`: within 0.51 ulp on f32, f16 and bf16; -0 of -0. Error: W2702 for f64. */
export const sinh = floatFunction({ name: "Math.sinh", wide: false, odd: true, run: ([x]) => sinhOf(magnitude(x)) });
/** `Math.cosh`: within 0.51 ulp on f32, f16 and bf16. Error: W2702 for f64. */
export const cosh = floatFunction({ name: "Math.cosh", wide: false, run: ([x]) => coshOf(x) });
/** `Math.tanh`: within 0.51 ulp on f32, f16 and bf16, 3 ulp on f64; -0 of -0. */
export const tanh = floatFunction({ name: "Math.tanh", wide: true, odd: true, run: ([x], grade) => tanhOf(magnitude(x), grade) });
/** `Math.asinh`: within 0.51 ulp on f32, f16 and bf16; -0 of -0. Error: W2702 for f64. */
export const asinh = floatFunction({ name: "Math.asinh", wide: false, odd: true, run: ([x]) => asinhOf(magnitude(x)) });
/** `Math.acosh`: within 0.51 ulp on f32, f16 and bf16; NaN below 1. Error: W2702 for f64. */
export const acosh = floatFunction({ name: "Math.acosh", wide: false, run: ([x]) => acoshOf(x) });
/** `Math.atanh`: within 0.51 ulp on f32, f16 and bf16; NaN beyond ±1, ±Infinity of ±1, -0 of -0. Error: W2702 for f64. */
export const atanh = floatFunction({ name: "Math.atanh", wide: false, odd: true, run: ([x]) => atanhOf(x) });
