/** Which registers an instruction reads and writes, by the table of forms. */

import type { Instruction, ReadOperandKind, Register } from "../../../ptx/parse/index.ts";
import { formOperands, registersOf } from "../../../ptx/parse/index.ts";

export interface RegisterUse {
  readonly reads: readonly Register[];
  readonly writes: readonly Register[];
}

/** Kinds of a first operand that is a result: a vector or list in the first place always is. */
const results: ReadonlySet<ReadOperandKind> = new Set(["d", "dp", "dp2", "d2", "pair", "v", "vec", "vec2", "list"]);

const isResult = (i: Instruction): boolean => {
  const kind = formOperands(i.opcode.form)[0]?.kind;
  return kind !== undefined && results.has(kind);
};

/** The guard is read, too. What wgmma does with its accumulator is left to who asks: it counts as written. */
export function registerUse(i: Instruction): RegisterUse {
  const guard = i.guard ? [i.guard.register] : [];
  const [first, ...rest] = i.operands;
  const sources = rest.flatMap(registersOf);
  if (isResult(i)) return { reads: [...guard, ...sources], writes: registersOf(first) };
  return { reads: [...guard, ...registersOf(first), ...sources], writes: [] };
}
