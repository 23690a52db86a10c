import { failHere } from "../fail-here.ts";
import { isStagedScalar, type StagedScalar } from "../scalar.ts";
import { truth } from "./compare.ts";
import { constant, openConstant } from "./constant.ts";
import { emitLike, emitOne, meet, operand, wrap } from "./operands.ts";

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

const isTruth = (x: unknown): x is StagedScalar | boolean => typeof x === "boolean" || (isStagedScalar(x) && x.type === "pred");

/** `yes` where the condition is true, else `no`; both are there already. Scalars only. */
export function selectValue(condition: unknown, yes: unknown, no: unknown): unknown {
  const c = truth(condition);
  if (typeof c === "boolean") return c ? yes : no;
  if (Object.is(yes, no)) return yes;
  if (isTruth(yes) && isTruth(no)) return selectTruth(c, yes, no);
  const [a, b] = [operand(yes, "select"), operand(no, "select")];
  if (typeof a === "boolean" || typeof b === "boolean") failHere("W2006", { op: "select", what: "a bool" });
  const first = isStagedScalar(a) || isStagedScalar(b) ? a : wrap(typeof a === "boolean" ? constant(a, "pred") : openConstant(a));
  const [x, y] = meet(first, b, "select");
  return wrap(emitLike("select", { condition: c.value, yes: x, no: y }, x));
}
