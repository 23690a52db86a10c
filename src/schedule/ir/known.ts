/** What is known of the variables that a place of a program sees. */
import { type Bounds, bounded, type Known, size } from "./simplify.ts";
import type { Program, Stmt, Var } from "./types.ts";

/** The bounds of what the given statements bind, the outermost first, and of the program's sizes. */
export function knownIn(p: Program, around: readonly Stmt[]): Known {
  const known = new Map<Var, Bounds>(p.sizes.map((s) => [s, size]));
  for (const s of around) {
    if (s.kind === "for") known.set(s.variable, bounded(s.extent));
    if (s.kind === "block") for (const a of s.axes) known.set(a.variable, bounded(a.extent));
  }
  return known;
}
