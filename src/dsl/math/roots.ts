import type { ScalarType, Value } from "../../ir/index.ts";
import { wrap } from "../numbers/operands.ts";
import { convert, floats, root } from "./values.ts";

/** `Math.sqrt`: rounded to nearest even on every type; -0 of -0, NaN of what is less. PTX ISA 9.7.3. */
export function sqrt(x: unknown): unknown {
  const [value] = floats([x], "Math.sqrt");
  if (!value) return undefined;
  const small: ScalarType = value.type as ScalarType;
  // The root in f32 rounds to the same 11 or 8 bits as the exact one.
  const wide: Value = convert(value, small === "f64" ? "f64" : "f32");
  return wrap(convert(root(wide), small));
}
