import { isInteger, type ScalarType, type Value } from "../../ir/index.ts";
import { convertTo } from "../numbers/convert.ts";
import { divideIntegers, type Rounding, roundQuotient, takeQuotient, unlessZero } from "../numbers/integers.ts";
import { isOpen } from "../numbers/open-types.ts";
import { promoted, wrap } from "../numbers/operands.ts";
import { Quotient } from "../numbers/unusable.ts";
import { isStagedScalar } from "../trace/scalar.ts";
import {
  add,
  both,
  choose,
  convert,
  either,
  floats,
  mathOperand,
  mul,
  not,
  number,
  roundTo,
  sub,
  test,
  withSign,
} from "./values.ts";

/** The integer that is given, or undefined where it is a float (or a number of no type yet, which becomes one). */
function whole(x: unknown, name: string): Value | undefined {
  const given = mathOperand(x, name);
  if (!isStagedScalar(given) || isOpen(given.value) || !isInteger(given.type)) return undefined;
  return promoted(given.value);
}

function rounder(mode: "zi" | "mi" | "pi", rounding: Rounding) {
  return (x: unknown): unknown => {
    if (x instanceof Quotient) return roundQuotient(x, rounding);
    const integer = whole(x, `Math.${rounding}`);
    if (integer) return wrap(integer);
    const [value] = floats([x], `Math.${rounding}`);
    return value && wrap(roundTo(value, mode));
  };
}

/** `Math.trunc`: exact, keeps -0; of an integer itself; of `a / b` of integers an integer division. PTX ISA 9.7.9.22. */
export const trunc = rounder("zi", "trunc");
/** `Math.floor`: exact, keeps -0; of an integer itself; of `a / b` of integers an integer division. */
export const floor = rounder("mi", "floor");
/** `Math.ceil`: exact, -0 from (-1, -0]; of an integer itself; of `a / b` of integers an integer division. */
export const ceil = rounder("pi", "ceil");

/** floor(x + 1/2) without the rounding of the sum; x is an f32 or f64. */
function halfUp(x: Value): Value {
  const down = roundTo(x, "mi");
  const up = test(sub(x, down), "ge", 0.5);
  return withSign(choose(up, add(down, number(1, x)), down), x);
}

/** The nearest integer to a / b, halves up. */
function nearestQuotient(a: Value, b: Value): Value {
  const down = divideIntegers(a, b, "floor");
  // The rest has the sign of b and is less than b, so b - rest does not overflow.
  const rest = sub(a, mul(down, b));
  const other = sub(b, rest);
  const up =
    b.type === "u32"
      ? test(rest, "ge", other)
      : either(both(test(b, "gt", 0), test(rest, "ge", other)), both(not(test(b, "gt", 0)), test(rest, "le", other)));
  return unlessZero(b, choose(up, add(down, number(1, a)), down));
}

/** `Math.round`: halves towards +Infinity, -0 from [-0.5, -0]. Exact. Of an integer itself; of `a / b` of integers an integer. */
export function round(x: unknown): unknown {
  if (x instanceof Quotient) return takeQuotient(x, nearestQuotient);
  const integer = whole(x, "Math.round");
  if (integer) return wrap(integer);
  const [value] = floats([x], "Math.round");
  if (!value) return undefined;
  const type: ScalarType = value.type === "f64" ? "f64" : "f32";
  return wrap(convert(halfUp(convert(value, type)), value.type as ScalarType));
}

/** `Math.sign`: 1, -1, or the argument itself where it is 0, -0 or NaN. On integers and floats. Exact. */
export function sign(x: unknown): unknown {
  const value = whole(x, "Math.sign") ?? floats([x], "Math.sign")[0];
  if (!value) return undefined;
  const positive = test(value, "gt", 0);
  const one = number(1, value);
  if (value.type === "u32") return wrap(choose(positive, one, value));
  return wrap(choose(positive, one, choose(test(value, "lt", 0), number(-1, value), value)));
}

/** `Math.fround`: to f32, rounded to nearest even; of integers too. */
export const fround = (x: unknown): unknown => convertTo("f32", mathOperand(x, "Math.fround"));
