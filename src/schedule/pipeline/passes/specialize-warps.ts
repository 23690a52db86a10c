/**
 * Requires: a loop over K whose copies are TMA's (`copies: "tma"`). Ensures: a warpgroup of its own makes them, `depth` trips of them at a time, and products
 * of a trip are done when its tiles are handed back.
 */
import { loopOf, type PipelinePass } from "../working.ts";

export const specializeWarps: PipelinePass = {
  name: "specialize-warps",
  run(w) {
    w.sch.warpSpecialize(loopOf(w, "trips"), { stages: w.plan.depth, wait: 0 });
  },
};
