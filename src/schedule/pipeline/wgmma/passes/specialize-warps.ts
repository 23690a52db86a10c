/** Requires: a loop over tiles of K whose copies are TMA's. Ensures: a warpgroup of its own makes them, `depth` trips of them at a time. */
import { loopOf, type WgmmaPass } from "../working.ts";

export const specializeWarps: WgmmaPass = {
  name: "specialize-warps",
  run(w) {
    w.sch.warpSpecialize(loopOf(w, "trips"), { stages: w.plan.depth, wait: w.plan.wait });
  },
};
