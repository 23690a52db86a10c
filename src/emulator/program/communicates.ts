/** Instructions through which blocks can tell each other something: strong accesses to global memory (PTX ISA 8.4), and atomics. */

import type { Instruction, Operand } from "../../ptx/parse/index.ts";
import { clockRegisters, spaceNamed, traitsOf } from "../../ptx/parse/index.ts";
import { builtins } from "./builtins/index.ts";

const mayBeGlobal = (space: string | undefined): boolean => space === undefined || space === "" || space === "global";

export function communicates(i: Instruction): boolean {
  const { space, order, mmio, cache } = i.opcode.modifiers;
  const how = traitsOf(i).communicates;
  if (how === undefined || !mayBeGlobal(space)) return false;
  return how === "always" || Boolean(mmio) || cache === "cv" || !["", "weak", undefined].includes(order);
}

/** Whether what others have written can decide what a thread does next. */
export const hears = (i: Instruction): boolean => ["load", "atomic"].includes(traitsOf(i).access ?? "");

const hasOperand = ({ operands }: Instruction, is: (o: Operand | undefined) => boolean): boolean =>
  operands.some((o) => is(o) || (o?.kind === "vector" && o.items.some(is)));

/** Whether it gives something else each time. */
export const readsClock = (i: Instruction): boolean => hasOperand(i, (o) => o?.kind === "special" && clockRegisters.has(o.name));
/** Whether it asks where the reserved part of shared memory lies. */
export const readsReserved = (i: Instruction): boolean =>
  hasOperand(i, (o) => o?.kind === "special" && o.name.startsWith("reserved_smem_offset"));
export const usesHeap = (i: Instruction): boolean =>
  hasOperand(i, (o) => o?.kind === "function" && builtins.get(o.name)?.heap === true);

/** Where nobody else writes what a thread reads. */
const ownSpaces: readonly string[] = ["param", "const", "local"];
/** To memory that others may share. */
export const isSharedAccess = (i: Instruction): boolean =>
  traitsOf(i).access !== undefined && !ownSpaces.includes(spaceNamed(i.opcode.modifiers.space));
