/** Where predicates choose what an instruction does with a lane: a launch that is watched keeps what they were. */
import { type Instruction, pred, traitsOf } from "../../../ptx/parse/index.ts";

/**
 * `guard`: whether it runs. `operand`: which of two operands it takes, the first where it is true. `left`, `right`: what `and` or `or` joins, a comparison
 * and a predicate or two predicates.
 */
export type Choice = "guard" | "operand" | "left" | "right";

const none: readonly Choice[] = [];

/** How an instruction makes one predicate of two, so that either alone can settle what it is. */
export function joinOf({ opcode, operands }: Instruction): "and" | "or" | undefined {
  const { form, types, modifiers } = opcode;
  if (form === "and" || form === "or") return types.type === pred ? form : undefined;
  if (form !== "setp" || operands[0]?.kind !== "register") return undefined;
  return modifiers.combine === "and" || modifiers.combine === "or" ? modifiers.combine : undefined;
}

/** In the order in which `Warp.choices` has them, from the first instruction of a segment on. Guards of accesses are not recorded: the monitor hears of every access. */
export function choicesOf(i: Instruction): readonly Choice[] {
  const { guard, opcode } = i;
  const isGuarded = guard !== undefined && traitsOf(i).access === undefined;
  const chosen: readonly Choice[] = opcode.form === "selp" ? ["operand"] : joinOf(i) ? ["left", "right"] : none;
  return isGuarded ? ["guard", ...chosen] : chosen;
}
