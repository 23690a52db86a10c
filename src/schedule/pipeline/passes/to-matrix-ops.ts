/**
 * Requires: loads, products and stores of one instruction's tile as the innermost loops. Ensures: an intrinsic in the place of each. IREE
 * hoists what a loop does not change afterwards: nothing of that is left at this level, and addresses are hoisted below it.
 */
import type { PipelinePass } from "../working.ts";

export const toMatrixOps: PipelinePass = {
  name: "to-matrix-ops",
  run(w) {
    for (const { block, intrinsic, loops } of w.tensorized) {
      const at = w.sch.getLoops(block).at(-loops);
      if (!at) throw new Error(`'${block.name}' has too few loops`);
      w.sch.tensorize(at, intrinsic);
    }
  },
};
