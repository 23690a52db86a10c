/** Where predicates choose what an instruction does with a lane: a launch that is watched keeps what they were. */
import { type Instruction, readForm } from "../../../ptx/parse/index.ts";

/** `guard`: whether it runs. `operand`: which of two operands it takes, the first where it is true. */
export type Choice = "guard" | "operand";

const none: readonly Choice[] = [];

/** In the order in which `Warp.choices` has them, from the first instruction of a segment on. Guards of accesses are not recorded: the monitor hears of every access. */
export function choicesOf({ guard, opcode }: Instruction): readonly Choice[] {
  const isGuarded = guard !== undefined && readForm(opcode.form).access === undefined;
  const isSelect = opcode.form === "selp";
  if (!isGuarded && !isSelect) return none;
  return [...(isGuarded ? (["guard"] as const) : []), ...(isSelect ? (["operand"] as const) : [])];
}
