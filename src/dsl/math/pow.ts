import { failHere } from "../fail-here.ts";
import { describe, type Operand } from "../numbers/operands.ts";

/** `a ** b` and `Math.pow`. */
export function pow(a: Operand, b: Operand): unknown {
  return failHere("W2009", { op: "**", what: `${describe(a)} and ${describe(b)}` });
}
