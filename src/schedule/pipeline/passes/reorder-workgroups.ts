/**
 * Requires: loops over rows and columns of tiles that are bound to blockIdx.y and blockIdx.x. Ensures: blocks take `swizzle` rows of tiles at a
 * time, column by column. IREE does it after multi-buffering; here it is before there is anything in shared memory, which blocks would seem to share.
 */
import type { PipelinePass } from "../working.ts";

export const reorderWorkgroups: PipelinePass = {
  name: "reorder-workgroups",
  run({ sch, plan, loops }) {
    const [rows, columns] = [loops.get("blockRows"), loops.get("blockColumns")];
    if (rows && columns && plan.swizzle > 1) sch.swizzleBlocks(rows, columns, plan.swizzle);
  },
};
