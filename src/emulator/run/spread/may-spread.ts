/** Which kernels may run on several threads at a time. */
import { clockRegisters } from "../../../ptx/isa/read/special-registers.ts";
import type { Instruction, Operand } from "../../../ptx/parse/tree.ts";
import { instructionsOf } from "../../machine/monitor.ts";
import { communicates, hears } from "../../program/communicates.ts";
import { repeats } from "../../program/paths.ts";
import type { Program } from "../../program/program.ts";

const heapFunctions: readonly string[] = ["malloc", "free"];

/** Its answer depends on what has run before, on whatever thread. */
const isCounted = ({ operands }: Instruction): boolean =>
  operands
    .flatMap((o): readonly (Operand | undefined)[] => (o?.kind === "vector" ? o.items : [o]))
    .some(
      (o) => (o?.kind === "special" && clockRegisters.has(o.name)) || (o?.kind === "function" && heapFunctions.includes(o.name)),
    );

/**
 * Whether the clusters of a kernel may run side by side. Not where one may wait for another: where it reads again and again what
 * others write.
 */
export function maySpread(program: Program): boolean {
  const known = answers.get(program) ?? mayRunApart(program);
  answers.set(program, known);
  return known;
}

const answers = new WeakMap<Program, boolean>();

function mayRunApart({ steps, instructions }: Program): boolean {
  if (instructions.some(isCounted)) return false;
  return !steps.some((step, at) => instructionsOf(step).some((i) => communicates(i) && hears(i)) && repeats(steps, at));
}
