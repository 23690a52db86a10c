import { add } from "../../ir/arith.ts";
import { isInteger, type Value } from "../../ir/index.ts";
import type { Offset } from "./offset.ts";
import type { Writer } from "./writer.ts";

/** Literals that are told apart: beyond, an address is one sum after all. */
const limit = 2 ** 24;

/**
 * An i32 as its staged summands and the sum of its literals, so that indices which differ by a literal share one address. Exact
 * modulo 2^32. An index without literals is left as it is.
 */
export function splitSum(w: Writer, value: Value, depth = 8): Offset {
  const whole: Offset = { fixed: 0, staged: value };
  const op = depth > 0 && value.type === "i32" ? w.definition(value) : undefined;
  if (op?.name === "const" && isInteger(value.type)) return { fixed: Number(op.attrs.value), staged: undefined };
  if (op?.name !== "add") return whole;
  const [a, b] = [splitSum(w, op.operands.a, depth - 1), splitSum(w, op.operands.b, depth - 1)];
  const fixed = a.fixed + b.fixed;
  if ((a.fixed === 0 && b.fixed === 0 && a.staged && b.staged) || Math.abs(fixed) >= limit) return whole;
  return { fixed, staged: a.staged && b.staged ? add(w, a.staged, b.staged) : (a.staged ?? b.staged) };
}
