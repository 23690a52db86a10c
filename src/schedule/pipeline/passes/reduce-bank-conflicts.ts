/**
 * Requires: tiles in shared memory. Ensures: rows of them begin in other banks, by elements put in between. IREE puts in 128 bits; PTX wants
 * rows of an f16 matrix to begin at multiples of 32 bytes, so it is as much as that here (PTX ISA 9.7.14.4.2). For mma.sync the 16-byte pieces of a row
 * change places instead, as `ldmatrix` takes eight of them wherever they are; rows whose length is no power of two are padded by one.
 */
import { elementBytes } from "../../../tensor-map.ts";
import { touchedBuffers } from "../../primitives/depends.ts";
import { type Plan, vectorOf } from "../plan.ts";
import { bodyOf, type PipelinePass } from "../working.ts";

/** Bytes that rows of shared memory begin at multiples of, for WMMA. */
const rowBytes = 32;

/** Elements of a row of the tile of A and of that of B. */
const rowsOf = ({ contraction: { a, b }, tile }: Plan): readonly number[] => [
  a.lines === "row" ? tile.k : tile.m,
  b.lines === "row" ? tile.n : tile.k,
];
const isPowerOf2 = (n: number): boolean => (n & (n - 1)) === 0;

export const reduceBankConflicts: PipelinePass = {
  name: "reduce-bank-conflicts",
  run(w) {
    const { plan } = w;
    const { swizzled } = plan.row;
    const done = new Set<string>();
    const rows = rowsOf(plan);
    const operands = w.copies.filter((c) => c.operand);
    for (const copy of w.copies)
      for (const buffer of touchedBuffers(bodyOf(w, copy.block))) {
        if (buffer.scope !== "shared" || done.has(buffer.name)) continue;
        done.add(buffer.name);
        if (swizzled && copy.operand && plan.padding === undefined && isPowerOf2(rows[operands.indexOf(copy)] ?? 1)) {
          w.sch.setSwizzle(buffer.name, "xor");
          continue;
        }
        const least = swizzled ? vectorOf(buffer.dtype) : rowBytes / elementBytes[buffer.dtype];
        const padding = plan.padding ?? least;
        if (padding > 0) w.sch.storageAlign(buffer.name, padding);
      }
  },
};
