/** Which registers must hold, between two steps, what a segment has made of them. */
import { type Instruction, type Register, registersOf } from "../../../ptx/parse/index.ts";
import type { Written } from "./index.ts";

/**
 * Those that some segment takes as it finds them, and those that instructions outside of segments name: wgmma reads and writes its
 * registers when it lands. All others live within one pass over the lanes.
 */
export function keptRegisters(segments: readonly Written[], others: readonly Instruction[]): ReadonlySet<Register> {
  const kept = new Set(segments.flatMap((segment) => [...segment.initial]));
  for (const { guard, operands } of others) {
    if (guard) kept.add(guard.register);
    for (const o of operands) for (const r of registersOf(o)) kept.add(r);
  }
  return kept;
}
