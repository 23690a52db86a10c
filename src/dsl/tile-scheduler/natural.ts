import type { OpName, Value } from "../../ir/index.ts";
import { constant } from "../numbers/constant.ts";
import { emitOne } from "../numbers/operands.ts";

/**
 * A whole number from 0 on: static, or a u32 on the GPU. Without a sign, division by constants is cheapest, and a loop needs not ask in
 * which direction it counts. What is static is computed at once, so that the same arithmetic runs on the host.
 */
export type Natural = number | Value;
type Condition = boolean | Value;

const isStatic = (x: Natural): x is number => typeof x === "number";
export const lifted = (x: Natural): Value => (isStatic(x) ? constant(x, "u32") : x);
const emit = (name: OpName, a: Natural, b: Natural): Value => emitOne(name, { a: lifted(a), b: lifted(b) });

/** The bits of an i32 that is not negative as a number without a sign, and back. */
export const unsigned = (value: Value): Value => (value.type === "u32" ? value : emitOne("bitcast", { a: value }, {}, ["u32"]));
export const signed = (value: Value): Value => emitOne("bitcast", { a: value }, {}, ["i32"]);

export function plus(a: Natural, b: Natural): Natural {
  if (isStatic(a) && isStatic(b)) return a + b;
  if (a === 0) return b;
  return b === 0 ? a : emit("add", a, b);
}

/** a - b, where b is at most a. */
export function minus(a: Natural, b: Natural): Natural {
  if (isStatic(a) && isStatic(b)) return a - b;
  return b === 0 ? a : emit("sub", a, b);
}

export function times(a: Natural, b: Natural): Natural {
  if (isStatic(a) && isStatic(b)) return a * b;
  if (a === 0 || b === 0) return 0;
  if (a === 1) return b;
  return b === 1 ? a : emit("mul", a, b);
}

/** How often b goes into a, and what is left. Where b is a 0 of the GPU, the quotient is 0 and the rest a. */
export function divided(a: Natural, b: Natural): readonly [quotient: Natural, rest: Natural] {
  if (isStatic(a) && isStatic(b)) return [Math.floor(a / b), a % b];
  if (a === 0) return [0, 0];
  if (b === 1) return [a, 0];
  const quotient = emit("div", a, b);
  return [quotient, isStatic(b) && Number.isInteger(Math.log2(b)) ? emit("and", a, b - 1) : minus(a, times(quotient, b))];
}

/** How many b cover a. */
export const covering = (a: Natural, b: number): Natural => divided(plus(a, b - 1), b)[0];

export function lesser(a: Natural, b: Natural): Natural {
  return isStatic(a) && isStatic(b) ? Math.min(a, b) : emit("min", a, b);
}

const compare = (is: "lt" | "eq", a: Natural, b: Natural): Value => emitOne("cmp", { a: lifted(a), b: lifted(b) }, { is });
export const isLess = (a: Natural, b: Natural): Condition => (isStatic(a) && isStatic(b) ? a < b : compare("lt", a, b));
export const isSame = (a: Natural, b: Natural): Condition => (isStatic(a) && isStatic(b) ? a === b : compare("eq", a, b));

export function chosen(condition: Condition, yes: Natural, no: Natural): Natural {
  if (typeof condition === "boolean") return condition ? yes : no;
  return yes === no ? yes : emitOne("select", { condition, yes: lifted(yes), no: lifted(no) });
}
