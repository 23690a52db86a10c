import type { Value } from "../../ir/index.ts";
import { failHere } from "../trace/fail-here.ts";
import { isStagedScalar, type StagedScalar } from "../trace/scalar.ts";
import { isTruth, truth } from "./compare.ts";
import { constantLike, openConstant } from "./constant.ts";
import { isOpen } from "./open-types.ts";
import { emitLike, emitOne, meet, type Operand, operand, promotes, wrap } from "./operands.ts";

/** A truth value out of two, with the least work. */
function selectTruth(condition: StagedScalar, yes: StagedScalar | boolean, no: StagedScalar | boolean): StagedScalar | boolean {
  if (yes === no) return yes;
  const c = condition.value;
  const not = () => emitOne("not", { a: c });
  if (typeof yes === "boolean" && typeof no === "boolean") return yes ? condition : wrap(not());
  if (typeof yes === "boolean")
    return isStagedScalar(no) ? wrap(yes ? emitOne("or", { a: c, b: no.value }) : emitOne("and", { a: not(), b: no.value })) : no;
  if (typeof no === "boolean")
    return wrap(no ? emitOne("or", { a: not(), b: yes.value }) : emitOne("and", { a: c, b: yes.value }));
  return wrap(emitLike("select", { condition: c, yes: yes.value, no: no.value }, yes.value));
}

const isNarrow = (x: Operand): x is StagedScalar => isStagedScalar(x) && !isOpen(x.value) && promotes(x.value.type);

/** Choosing is not arithmetic: 8- and 16-bit integers stay what they are where both sides are of that type. */
function ofOneType(a: Operand, b: Operand): [Value, Value] | undefined {
  if (isNarrow(a) && isNarrow(b)) return a.type === b.type ? [a.value, b.value] : undefined;
  if (isNarrow(a) && !isStagedScalar(b)) return [a.value, constantLike(b, a.value)];
  return isNarrow(b) && !isStagedScalar(a) ? [constantLike(a, b.value), b.value] : undefined;
}

/** `yes` where the condition is true, else `no`; both are there already. Scalars only. */
export function selectValue(condition: unknown, yes: unknown, no: unknown): unknown {
  const c = truth(condition);
  if (typeof c === "boolean") return c ? yes : no;
  if (Object.is(yes, no)) return yes;
  if (isTruth(yes) && isTruth(no)) return selectTruth(c, yes, no);
  const [a, b] = [operand(yes, "select"), operand(no, "select")];
  if (typeof a === "boolean" || typeof b === "boolean") failHere("W2006", { op: "select", what: "a bool" });
  const [x, y] = ofOneType(a, b) ?? meet(isStagedScalar(a) || isStagedScalar(b) ? a : wrap(openConstant(a)), b, "select");
  return wrap(emitLike("select", { condition: c.value, yes: x, no: y }, x));
}
