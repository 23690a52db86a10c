/** Requires: a block for each tile. Ensures: with `blocks`, each block computes so many tiles as there are more, one after the other. */
import { loopOf, type WgmmaPass } from "../working.ts";

export const keepBlocks: WgmmaPass = {
  name: "keep-blocks",
  run(w) {
    if (w.plan.blocks !== undefined) w.sch.persist(loopOf(w, "tiles"), w.plan.blocks);
  },
};
