import { anyOp, bitsOf, isScalar, isSigned, type Value } from "../../ir/index.ts";
import { type FoldContext, integerOf } from "./context.ts";

const depth = 8;

/** Is an integer known not to be negative? */
export function nonNegative(value: Value, c: FoldContext, left = depth): boolean {
  if (!isSigned(value.type) || c.nonNegative.has(value.id)) return true;
  const literal = integerOf(value, c);
  if (literal !== undefined) return literal >= 0n;
  const raw = c.defs.get(value.id);
  if (!raw || left === 0) return false;
  const op = anyOp(raw);
  const is = (v: Value) => nonNegative(v, c, left - 1);
  switch (op.name) {
    case "sreg":
    case "warp.index":
    case "popc":
    case "clz":
      return true;
    case "div":
      return is(op.operands.a) && is(op.operands.b);
    case "rem":
      return is(op.operands.a);
    case "min":
      return is(op.operands.a) && is(op.operands.b);
    case "shr":
      return is(op.operands.a);
    case "and":
    case "max":
      return is(op.operands.a) || is(op.operands.b);
    case "or":
    case "xor":
      return is(op.operands.a) && is(op.operands.b);
    case "select":
      return is(op.operands.yes) && is(op.operands.no);
    case "convert":
      return widens(op.operands.a, value) && is(op.operands.a);
    default:
      return false;
  }
}

/** From an integer of fewer bits, or a predicate. */
function widens(from: Value, to: Value): boolean {
  if (!isScalar(from.type) || !isScalar(to.type) || ["f16", "bf16", "f32", "f64", "e4m3", "e5m2"].includes(from.type))
    return false;
  return bitsOf(from.type) < bitsOf(to.type);
}
