import { type Literal, makeOp, type Op, type ScalarType, type Value, withParts } from "../../ir/index.ts";
import { spansHere } from "../trace/fail-here.ts";
import { currentTrace } from "../trace/trace.ts";
import { representable } from "./literals.ts";
import { addLiteral, failLiteral, isOpen, joinType, open, whenTyped } from "./open-types.ts";

function emitConst(value: Literal, type: ScalarType): { value: Value; set: (exact: Literal) => void } {
  const op = currentTrace("a number").emit("const", {}, { value }, { types: [type] });
  const result = op.results[0];
  if (!result) throw new Error("a const without a result");
  // An op is never changed once it stands, but for this: the literal of a const whose type was found later.
  const attrs = op.attrs as { value: Literal };
  const set = (exact: Literal): void => {
    attrs.value = exact;
  };
  return { value: result, set };
}

/** The literal as a value of exactly that type; what the type cannot say is an error. */
export function constant(literal: Literal, type: ScalarType): Value {
  return currentTrace("a number").literal(representable(literal, type) ?? failLiteral(literal, type, spansHere()), type);
}

/** Does every open type begin as this one? Replaced when the type is found. */
const provisional = (literal: Literal): ScalarType =>
  typeof literal === "bigint" ? "i64" : Number.isInteger(literal) ? "i32" : "f32";

/** The literal as a staged value whose type is found later; a boolean is a bool at once. */
export function openConstant(literal: Literal): Value {
  if (typeof literal === "boolean") return constant(literal, "pred");
  const { value, set } = emitConst(literal, provisional(literal));
  open(value, typeof literal === "bigint" ? "bigint" : "number");
  addLiteral(value, literal, set);
  return value;
}

/** The literal in the type that `like` has or will have. */
export function constantLike(literal: Literal, like: Value): Value {
  if (!isOpen(like)) return constant(literal, like.type as ScalarType);
  const { value, set } = emitConst(literal, like.type as ScalarType);
  joinType(value, like);
  addLiteral(value, literal, set);
  return value;
}

/** Zero in the type that `like` has or will have: what stands for a value that nobody reads. */
export function zeroLike(like: Value): Value {
  const { value, set } = emitConst(0, like.type as ScalarType);
  joinType(value, like);
  whenTyped(value, (type) => set(type === "pred" ? false : type === "i64" || type === "u64" ? 0n : 0));
  return value;
}

/** The literal as the given value, which so far had nothing that defines it: what a loop always carried unchanged. */
export function defineAs(value: Value, literal: Literal): void {
  const trace = currentTrace("a number");
  const exact = isOpen(value) ? literal : (representable(literal, value.type as ScalarType) ?? literal);
  const op = makeOp(trace.ids, "const", {}, { value: exact }, { types: [value.type], spans: spansHere() });
  const attrs = op.attrs as { value: Literal };
  trace.append(withParts(op as Op, { results: [value] }));
  addLiteral(value, literal, (found) => {
    attrs.value = found;
  });
}
