/**
 * Requires: tiles in shared memory. Ensures: rows of them begin in other banks, by 128 bits put in between, as IREE's pass does: eight rows
 * that an instruction reads 16 bytes of each then lie in all 32 banks. See docs/decisions/0019.
 */
import { elementBytes } from "../../../tensor-map.ts";
import { touchedBuffers } from "../../primitives/depends.ts";
import { bodyOf, type PipelinePass } from "../working.ts";

/** Bytes between rows of shared memory. */
const paddingBytes = 16;

export const reduceBankConflicts: PipelinePass = {
  name: "reduce-bank-conflicts",
  run(w) {
    const done = new Set<string>();
    for (const { block } of w.copies)
      for (const buffer of touchedBuffers(bodyOf(w, block))) {
        if (buffer.scope !== "shared" || done.has(buffer.name)) continue;
        done.add(buffer.name);
        const padding = w.plan.padding ?? paddingBytes / elementBytes[buffer.dtype];
        if (padding > 0) w.sch.storageAlign(buffer.name, padding);
      }
  },
};
