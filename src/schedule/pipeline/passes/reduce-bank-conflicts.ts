/**
 * Requires: tiles in shared memory. Ensures: rows of them begin in other banks, by 128 bits put in between, as IREE's pass does: eight rows
 * that an instruction reads 16 bytes of each then lie in all 32 banks. See docs/decisions/0019. For mma.sync the 16-byte pieces of a row change places
 * instead, as `ldmatrix` takes eight of them wherever they are; rows whose length is no power of two are padded.
 */
import { elementBytes } from "../../../base/element-types.ts";
import { touchedBuffers } from "../../facts/depends.ts";
import type { Plan } from "../plan.ts";
import { paddingBytes, tilesOf } from "../tma-copies.ts";
import { bodyOf, type PipelinePass } from "../working.ts";

/** Elements of a row of the tile of A and of that of B. */
function rowsOf({ contraction, tile }: Plan): readonly number[] {
  const { a, b } = tilesOf(contraction, tile);
  return [a[1], b[1]];
}
const isPowerOf2 = (n: number): boolean => (n & (n - 1)) === 0;

export const reduceBankConflicts: PipelinePass = {
  name: "reduce-bank-conflicts",
  run(w) {
    const { plan } = w;
    const swizzled = plan.row.swizzled && plan.padding === undefined;
    const done = new Set<string>();
    const rows = rowsOf(plan);
    const operands = w.copies.filter((c) => c.operand);
    for (const copy of w.copies)
      for (const buffer of touchedBuffers(bodyOf(w, copy.block))) {
        if (buffer.scope !== "shared" || done.has(buffer.name)) continue;
        done.add(buffer.name);
        if (swizzled && copy.operand && isPowerOf2(rows[operands.indexOf(copy)] ?? 1)) {
          w.sch.storageSwizzle(buffer.name, "xor");
          continue;
        }
        const padding = plan.padding ?? paddingBytes / elementBytes[buffer.dtype];
        if (padding > 0) w.sch.storageAlign(buffer.name, padding);
      }
  },
};
