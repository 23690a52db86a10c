import type { ScalarType, Value } from "../../ir/index.ts";
import { aType } from "../numbers/names.ts";
import { wrap } from "../numbers/operands.ts";
import { failHere } from "../trace/fail-here.ts";
import { convert, floats, greatest, least } from "./values.ts";

type Arithmetic = (x: Value, y: Value) => Value;

export interface FloatFunction {
  /** As the author writes it: `Math.exp`. */
  readonly name: string;
  /** The function in f32, for f32, f16 and bf16. */
  readonly single: Arithmetic;
  /** The function in f64, where it is defined. */
  readonly double?: Arithmetic;
}

/** Arguments and result in any float type: computed in f64 for f64, else in f32. */
export function floatFunction({ name, single, double }: FloatFunction): (...args: unknown[]) => unknown {
  return (...args) => {
    const given = floats(args, name);
    const [first] = given;
    if (!first) throw new Error(`${name} without an argument`);
    const type = first.type as ScalarType;
    const run = type === "f64" ? double : single;
    if (!run) return failHere("W2702", { name, what: aType(type) });
    const [x = first, y = x] = given.map((value) => convert(value, type === "f64" ? "f64" : "f32"));
    return wrap(convert(run(x, y), type));
  };
}

/** x kept within the limits; NaN stays NaN. */
export const clamp = (x: Value, low: number, high: number): Value => least(greatest(x, low), high);
