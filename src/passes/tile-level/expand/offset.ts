import { add, divide, type IntType, modulo, mul, toInt } from "../../../ir/arith.ts";
import { type Emitter, isInteger, type Value } from "../../../ir/index.ts";
import { type Dimension, offsetIn } from "../../../layout/modes/index.ts";
import type { Writer } from "./writer.ts";

/** A number of bytes: a static part and a staged one. */
export interface Offset {
  readonly fixed: number;
  readonly staged: Value | undefined;
}

export const noOffset: Offset = { fixed: 0, staged: undefined };

export const plus = (e: Emitter, a: Offset, b: Offset): Offset => ({
  fixed: a.fixed + b.fixed,
  staged: a.staged && b.staged ? add(e, a.staged, b.staged) : (a.staged ?? b.staged),
});

/** An index: static, or an integer of the GPU. */
export type IndexValue = number | Value;

/** Where index `i` of a dimension lies, in bytes from index 0. */
export function indexOffset(e: Emitter, dimension: Dimension, i: IndexValue, type: IntType): Offset {
  if (typeof i === "number") return { fixed: offsetIn(dimension, i), staged: undefined };
  let rest = toInt(e, i, type);
  let sum: Value | undefined;
  dimension.toReversed().forEach(({ extent, stride }, n) => {
    const last = n === dimension.length - 1;
    const digit = last ? rest : modulo(e, rest, extent);
    if (!last) rest = divide(e, rest, extent);
    const part = mul(e, digit, stride);
    sum = sum ? add(e, sum, part) : part;
  });
  return { fixed: 0, staged: sum };
}

/** Literals that are kept apart from the sum: beyond, an address is one sum after all. */
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
