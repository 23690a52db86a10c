/**
 * Requires: the product in loops of one instruction. Ensures: what an instruction reads of A and B is in registers, loaded once for each
 * group of summands and not once for each product; loads are of one instruction's tile each. IREE's pass forwards stores to loads and flattens;
 * below this level, reads of what was just stored are forwarded.
 */
import type { BlockRef } from "../../schedule.ts";
import { innermost, lastTwo, operandsOf, type PipelinePass, splitBy, type Working } from "../working.ts";

/** The last two loops around a block, in tiles. */
export function inTiles(w: Working, block: BlockRef, rows: number, columns: number): void {
  const [x, y] = lastTwo(w, block);
  const [xo, xi] = splitBy(w, x, rows);
  const [yo, yi] = splitBy(w, y, columns);
  w.sch.reorder(xo, yo, xi, yi);
}

export const optimiseTransfers: PipelinePass = {
  name: "optimise-transfers",
  run(w) {
    const { sch, plan, product, tensorized } = w;
    const { a, b } = plan.contraction;
    const { m, n, k } = plan.instruction;
    const { names } = plan;
    const { prefix } = plan.row.family;
    const from = w.copies.some((c) => c.operand) ? "shared" : "global";
    const at = innermost(w, "groups");
    const [left, right] = operandsOf(w);
    const parts = [
      { name: left, scope: `${prefix}.matrix_a`, tile: a.lines === "row" ? [m, k] : [k, m], intrinsic: names.loadA(from) },
      { name: right, scope: `${prefix}.matrix_b`, tile: b.lines === "row" ? [k, n] : [n, k], intrinsic: names.loadB(from) },
    ] as const;
    for (const { name, scope, tile, intrinsic } of parts) {
      const block = sch.cacheRead(product, name, scope);
      // Behind a copy to shared memory in the same loop it stands there already.
      if (at && !sch.getLoops(block).some((l) => l.variable === at.variable)) sch.computeAt(block, at);
      const [rows, columns] = tile;
      inTiles(w, block, rows ?? 1, columns ?? 1);
      tensorized.push({ block, intrinsic, loops: 2 });
      w.loads.push(block);
    }
  },
};
