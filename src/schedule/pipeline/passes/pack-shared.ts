/** Requires: nothing. Ensures: buffers in shared memory whose lives do not meet may lie in the same place: C's tile before and after those of A and B. */
import type { PipelinePass } from "../working.ts";

export const packShared: PipelinePass = {
  name: "pack-shared",
  run({ sch, plan }) {
    if (plan.promoteC === "shared") sch.packShared();
  },
};
