import { type Literal, makeOp, type Op, type ScalarType, type Value, withParts } from "../../ir/index.ts";
import { spansHere } from "../trace/fail-here.ts";
import { currentTrace } from "../trace/trace.ts";
import { representable } from "./literals.ts";
import { addLiteral, failLiteral, isOpen, joinType, open, whenTyped } from "./open-types.ts";

function emitConst(value: Literal, type: ScalarType): { value: Value; set: (exact: Literal) => void } {
  const op = currentTrace("a number").emit("const", {}, { value }, { types: [type] });
  const result = op.results[0];
  if (!result) throw new Error("a const without a result");
  // This is the one change to an op after it is recorded: the literal of a const whose type is found later.
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

/** The type that stands for an open one until it is found. */
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

/** Defines the given value as the literal: a parameter of a loop that turned out to carry the same literal always. */
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
