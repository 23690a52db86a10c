/** Instructions through which blocks can tell each other something: strong accesses to global memory (PTX ISA 8.4), and atomics. */
import type { Instruction, Operand } from "../../ptx/parse/tree.ts";

const mayBeGlobal = (space: string | undefined): boolean => space === undefined || space === "" || space === "global";

export function communicates({ opcode: { form, modifiers } }: Instruction): boolean {
  const { space, order, mmio, cache } = modifiers;
  if (form === "ld" || form === "st")
    return mayBeGlobal(space) && (Boolean(mmio) || cache === "cv" || !["", "weak", undefined].includes(order));
  if (form === "atom" || form === "atom.cas" || form === "red") return mayBeGlobal(space);
  return /^(multimem|cp\.reduce\.async\.bulk\.(store|tensor))/.test(form);
}

/** Whether what others have written can decide what a thread does next. */
export const hears = ({ opcode: { form } }: Instruction): boolean => /^(ld|atom|multimem)/.test(form);

const operandsOf = ({ operands }: Instruction): readonly (Operand | undefined)[] =>
  operands.flatMap((o): readonly (Operand | undefined)[] => (o?.kind === "vector" ? o.items : [o]));

/** Whether it gives something else each time. */
export const readsClock = (i: Instruction): boolean =>
  operandsOf(i).some((o) => o?.kind === "special" && /^(clock|globaltimer)/.test(o.name));

const heapFunctions: readonly string[] = ["malloc", "free"];
export const usesHeap = (i: Instruction): boolean =>
  operandsOf(i).some((o) => o?.kind === "function" && heapFunctions.includes(o.name));
