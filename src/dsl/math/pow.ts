import type { Value } from "../../ir/index.ts";
import type { Operand } from "../numbers/operands.ts";
import { exp2Of } from "./exponential.ts";
import { floatFunction } from "./grade.ts";
import { log2Of } from "./logarithm.ts";
import { both, choose, magnitude, mul, not, number, roundTo, test, withSign } from "./values.ts";

/** x ** y in f64 of f32 grade, with every special case of JavaScript. */
function powOf(x: Value, y: Value): Value {
  const size = magnitude(x);
  // An infinite y times log2(1) = 0 is NaN, as JavaScript has it for (±1) ** ±Infinity.
  const positive = exp2Of(mul(log2Of(size, "f32"), y));
  const whole = test(roundTo(y, "zi"), "eq", y);
  const half = mul(y, number(0.5, y));
  const odd = both(whole, test(roundTo(half, "zi"), "ne", half));
  const signed = choose(odd, withSign(positive, x), positive);
  const undefinedHere = both(both(test(x, "lt", 0), test(x, "gt", Number.NEGATIVE_INFINITY)), not(whole));
  const result = choose(undefinedHere, number(Number.NaN, x), signed);
  return choose(test(y, "eq", 0), number(1, x), result);
}

const floatPow = floatFunction({ name: "Math.pow", wide: false, run: ([x, y]) => powOf(x, y) });

/**
 * `a ** b` and `Math.pow` of floats, of which one at least is staged: within 0.51 ulp on f32, f16 and bf16, with JavaScript's
 * special cases (anything ** 0 is 1, (±1) ** ±Infinity is NaN). Errors: W2701 for integers, W2702 for f64.
 */
export const pow = (a: Operand, b: Operand): unknown => floatPow(a, b);

/** `Math.cbrt`: within 0.51 ulp on f32, f16 and bf16; -0 of -0. Error: W2702 for f64. */
export const cbrt = floatFunction({
  name: "Math.cbrt",
  wide: false,
  odd: true,
  run: ([x]) => exp2Of(mul(log2Of(magnitude(x), "f32"), number(1 / 3, x))),
});
