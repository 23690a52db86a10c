/**
 * Requires: instructions in the place of loads and products, in a loop over groups of summands. Ensures: groups are written out one behind the
 * other, each with registers of its own, so that software-pipeline may load a group before the products of the one before it.
 */

import { writtenBuffers } from "../../facts/touches.ts";
import { blocksOf } from "../../ir/walk.ts";
import { extentOf, type PipelinePass, type Working } from "../working.ts";

/** Registers that operands are loaded into. */
function registersOf(w: Working): ReadonlySet<string> {
  const { prefix } = w.plan.row.family;
  const all = blocksOf(w.sch.program).flatMap((b) => writtenBuffers(b));
  return new Set(all.filter((b) => b.scope === `${prefix}.matrix_a` || b.scope === `${prefix}.matrix_b`).map((b) => b.name));
}

export const doubleBufferOperands: PipelinePass = {
  name: "double-buffer-operands",
  run(w) {
    const { sch, plan, loops } = w;
    const [trips, groups] = [loops.get("trips"), loops.get("groups")];
    if (!trips || plan.depth === 1) return;
    // What a trip loads is in registers once, whichever tile of shared memory it comes from: trips that stand behind the loop have the same.
    if (plan.doubleBuffer || plan.epilogue === "peeled") for (const name of registersOf(w)) sch.multiBuffer(name, trips, 1);
    if (!plan.doubleBuffer || !groups) return;
    const parts = sch.loopPartition(
      groups,
      Array.from({ length: extentOf(w, groups) ?? 1 }, () => 1),
    );
    for (const part of parts) sch.dropLoop(part);
    loops.delete("groups");
  },
};
