import type { ScalarType, Value } from "../../ir/index.ts";
import { aType } from "../numbers/names.ts";
import { wrap } from "../numbers/operands.ts";
import { failHere } from "../trace/fail-here.ts";
import { choose, convert, floats, number, test, withSign } from "./values.ts";

/**
 * The functions are computed in f64, which Hopper has at half the rate of f32: the result of an f32 function is then the exact
 * one rounded, but for one case in a thousand. The grade says how long the polynomials are: for 24 bits, or for 53.
 */
export type Grade = "f32" | "f64";

export interface FloatFunction {
  /** As the author writes it: `Math.exp`. */
  readonly name: string;
  /** Is there one for f64? */
  readonly wide: boolean;
  /** f(-x) is -f(x): the result takes the sign of x, of -0 too. */
  readonly odd?: boolean;
  /** The result in f64 for arguments in f64. */
  readonly run: (args: readonly [Value, Value], grade: Grade) => Value;
}

/** Arguments and result in any float type: computed in f64, rounded once. */
export function floatFunction({ name, wide, odd, run }: FloatFunction): (...args: unknown[]) => unknown {
  return (...args) => {
    const given = floats(args, name);
    const [first] = given;
    if (!first) throw new Error(`${name} without an argument`);
    const type = first.type as ScalarType;
    if (type === "f64" && !wide) failHere("W2702", { name, what: aType(type) });
    const grade: Grade = type === "f64" ? "f64" : "f32";
    const [x = first, y = x] = given.map((value) => convert(value, "f64"));
    const exact = run([x, y], grade);
    return wrap(convert(odd ? withSign(exact, x) : exact, type));
  };
}

/** x kept within the limits; NaN stays NaN. */
export function clamp(x: Value, least: number, greatest: number): Value {
  const high = choose(test(x, "gt", greatest), number(greatest, x), x);
  return choose(test(x, "lt", least), number(least, x), high);
}
