/** Instructions through which blocks can tell each other something: strong accesses to global memory (PTX ISA 8.4), and atomics. */
import { readForm } from "../../ptx/isa/read/index.ts";
import type { Instruction } from "../../ptx/parse/tree.ts";

const mayBeGlobal = (space: string | undefined): boolean => space === undefined || space === "" || space === "global";

export function communicates({ opcode: { form, modifiers } }: Instruction): boolean {
  const { space, order, mmio, cache } = modifiers;
  const how = readForm(form).communicates;
  if (how === undefined || !mayBeGlobal(space)) return false;
  return how === "always" || Boolean(mmio) || cache === "cv" || !["", "weak", undefined].includes(order);
}

/** Whether what others have written can decide what a thread does next. */
export const hears = ({ opcode: { form } }: Instruction): boolean => ["load", "atomic"].includes(readForm(form).access ?? "");
