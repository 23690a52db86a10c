import { isInteger, type ScalarType, type Value } from "../../ir/index.ts";
import { power } from "../numbers/arithmetic.ts";
import { isWide } from "../numbers/integers.ts";
import { aType } from "../numbers/names.ts";
import { operand, wrap } from "../numbers/operands.ts";
import { failHere } from "../trace/fail-here.ts";
import { isStagedScalar } from "../trace/scalar.ts";
import { exp2Of } from "./exponential.ts";
import { floatFunction } from "./grade.ts";
import { log2Of } from "./logarithm.ts";
import { both, choose, convert, floats, magnitude, mul, not, number, root, roundTo, test, withSign } from "./values.ts";

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
 * `a ** b` and `Math.pow`, of which one at least is staged. A whole static exponent is repeated multiplication: up to 64 of integers, up
 * to 3 of floats. Everything else is of floats: within 0.51 ulp on f32, f16 and bf16, with JavaScript's special cases (anything ** 0 is
 * 1, (±1) ** ±Infinity is NaN). Errors: W2011 for integers, W2702 for f64.
 */
export function pow(a: unknown, b: unknown): unknown {
  const base = operand(a, "**");
  const exponent = operand(b, "**");
  const whole = typeof exponent === "bigint" ? Number(exponent) : exponent;
  const small = typeof whole === "number" && Number.isInteger(whole) && whole >= 0 && whole <= 64;
  const isInt = isStagedScalar(base) && isInteger(base.type);
  if (isStagedScalar(base) && small && (isInt || whole <= 3)) return power(base, whole);
  if (isInt || isWide(base))
    failHere("W2011", { op: "** with this exponent", what: isStagedScalar(base) ? aType(base.type) : "a bigint" });
  return floatPow(base, exponent);
}

/** `Math.cbrt`: within 0.51 ulp on f32, f16 and bf16; -0 of -0. Error: W2702 for f64. */
export const cbrt = floatFunction({
  name: "Math.cbrt",
  wide: false,
  odd: true,
  run: ([x]) => exp2Of(mul(log2Of(magnitude(x), "f32"), number(1 / 3, x))),
});

/** `Math.sqrt`: rounded to nearest even on every type; -0 of -0, NaN of what is less. PTX ISA 9.7.3. */
export function sqrt(x: unknown): unknown {
  const [value] = floats([x], "Math.sqrt");
  if (!value) return undefined;
  const small: ScalarType = value.type as ScalarType;
  // The root in f32 rounds to the same 11 or 8 bits as the exact one.
  const wide: Value = convert(value, small === "f64" ? "f64" : "f32");
  return wrap(convert(root(wide), small));
}
