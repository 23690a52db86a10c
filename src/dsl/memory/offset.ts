import { add, divide, type IntType, modulo, mul, toInt } from "../../ir/arith.ts";
import type { Value } from "../../ir/index.ts";
import { type Dimension, offsetIn } from "../../layout/modes.ts";
import type { Trace } from "../trace.ts";

/** A number of bytes: a static part and a staged one. */
export interface Offset {
  readonly fixed: number;
  readonly staged: Value | undefined;
}

export const noOffset: Offset = { fixed: 0, staged: undefined };

export const plus = (trace: Trace, a: Offset, b: Offset): Offset => ({
  fixed: a.fixed + b.fixed,
  staged: a.staged && b.staged ? add(trace, a.staged, b.staged) : (a.staged ?? b.staged),
});

/** An index of an author: static, or an integer on the GPU. */
export type IndexValue = number | Value;

/** Where index `i` of a dimension lies, in bytes from index 0. */
export function indexOffset(trace: Trace, dimension: Dimension, i: IndexValue, type: IntType): Offset {
  if (typeof i === "number") return { fixed: offsetIn(dimension, i), staged: undefined };
  let rest = toInt(trace, i, type);
  let sum: Value | undefined;
  dimension.toReversed().forEach(({ extent, stride }, n) => {
    const last = n === dimension.length - 1;
    const digit = last ? rest : modulo(trace, rest, extent);
    if (!last) rest = divide(trace, rest, extent);
    const part = mul(trace, digit, stride);
    sum = sum ? add(trace, sum, part) : part;
  });
  return { fixed: 0, staged: sum };
}
