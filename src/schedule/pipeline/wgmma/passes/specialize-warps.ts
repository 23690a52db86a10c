/** Requires: a loop over tiles of K whose copies are TMA's. Ensures: a warpgroup of its own makes them, `depth` trips of them at a time; with `pingpong` those that multiply take
 * turns at tiles. */
import { loopOf, type WgmmaPass } from "../working.ts";

export const specializeWarps: WgmmaPass = {
  name: "specialize-warps",
  run(w) {
    const { depth, wait, pingpong } = w.plan;
    w.sch.warpSpecialize(loopOf(w, "trips"), { stages: depth, wait, ...(pingpong > 1 ? { pingpong } : {}) });
  },
};
