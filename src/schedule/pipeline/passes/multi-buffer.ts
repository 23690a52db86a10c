/**
 * Requires: copies of tiles of A and B inside the loop over K. Ensures: each of their buffers has `depth` versions, and trip i takes number
 * `i % depth`. Where K is one tile there is nothing to overlap.
 */
import { type PipelinePass, writtenBy } from "../working.ts";

export const multiBuffer: PipelinePass = {
  name: "multi-buffer",
  run(w) {
    const trips = w.loops.get("trips");
    if (!trips || w.plan.depth === 1) return;
    for (const { block, operand } of w.copies) if (operand) w.sch.multiBuffer(writtenBy(w, block), trips, w.plan.depth);
  },
};
