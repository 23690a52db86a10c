/**
 * Requires: tiles in shared memory. Ensures: rows of them begin in other banks, by elements put in between. IREE puts in 128 bits; PTX wants
 * rows of an f16 matrix to begin at multiples of 32 bytes, so it is as much as that here (PTX ISA 9.7.14.4.2).
 */
import { elementBytes } from "../../../tensor-map.ts";
import { touchedBuffers } from "../../primitives/depends.ts";
import { bodyOf, type PipelinePass } from "../working.ts";

/** Bytes that rows of shared memory begin at multiples of. */
const rowBytes = 32;

export const reduceBankConflicts: PipelinePass = {
  name: "reduce-bank-conflicts",
  run(w) {
    const done = new Set<string>();
    for (const { block } of w.copies)
      for (const buffer of touchedBuffers(bodyOf(w, block))) {
        if (buffer.scope !== "shared" || done.has(buffer.name)) continue;
        done.add(buffer.name);
        const padding = w.plan.padding ?? rowBytes / elementBytes[buffer.dtype];
        if (padding > 0) w.sch.storageAlign(buffer.name, padding);
      }
  },
};
