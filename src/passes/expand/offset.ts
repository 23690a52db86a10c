import { add, divide, type IntType, modulo, mul, toInt } from "../../ir/arith.ts";
import type { Emitter, Value } from "../../ir/index.ts";
import { type Dimension, offsetIn } from "../../layout/modes.ts";

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
