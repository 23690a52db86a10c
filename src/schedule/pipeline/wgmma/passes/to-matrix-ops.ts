/** Requires: copies, products, zeros and stores of a warpgroup's part as the innermost loops. Ensures: an intrinsic in the place of each. */
import type { WgmmaPass } from "../working.ts";

export const toMatrixOps: WgmmaPass = {
  name: "to-matrix-ops",
  run({ sch, tensorized }) {
    for (const { block, intrinsic, loops } of tensorized) {
      const at = sch.getLoops(block).at(-loops);
      if (!at) throw new Error(`'${block.name}' has too few loops`);
      sch.tensorize(at, intrinsic);
    }
  },
};
