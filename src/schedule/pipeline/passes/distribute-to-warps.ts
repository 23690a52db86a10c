/**
 * Requires: a block's tile of the product as loops over its rows, its columns and all of K. Ensures: C's tile is copied to shared memory and
 * back (`promoteC`); K is taken a tile at a time; each warp makes a part of the tile; A and B are copied to shared memory for each trip,
 * where more than one warp reads them. Barriers are put in by lowering.
 *
 * A thread's place is that of IREE: with a workgroup [64, 2, 1] warps lie two along N and two along M. Lanes of a warp are threadIdx.x here, warps
 * along N threadIdx.y, along M threadIdx.z, so the same threads in the same order. Warps are tiled before A and B are copied, because the
 * copies stand inside the loop over K, and that inside those of the warps.
 */
import type { Program } from "../../ir/types.ts";
import { blocksOf } from "../../ir/walk.ts";
import { cachedC, loopOf, operandsOf, type PipelinePass, setLoops, splitBy, type Working } from "../working.ts";

function promoteC(w: Working): void {
  const { plan, copies } = w;
  if (plan.promoteC !== "shared") return;
  const { into, out } = cachedC(w, "shared", loopOf(w, "blockColumns"));
  if (into) copies.push({ block: into, operand: false });
  copies.push({ block: out, operand: false });
}

/** Whether a block writes a parameter of the program. */
const isResult = (p: Program, name: string): boolean =>
  blocksOf(p).some((b) => b.name === name && b.body.kind === "store" && p.params.includes(b.body.buffer));

/** Padded matrices are made where tiles of them are copied: only the tiles are there. */
function withoutPadded({ sch, padding }: Working): void {
  const results = padding.filter((b) => isResult(sch.program, b.name));
  for (const block of results) sch.reverseComputeInline(block);
  for (const block of padding) if (!results.includes(block)) sch.computeInline(block);
}

export const distributeToWarps: PipelinePass = {
  name: "distribute-to-warps",
  run(w) {
    const { sch, plan, product, copies } = w;
    promoteC(w);
    const [trips, depth] = splitBy(w, loopOf(w, "depth"), plan.tile.k);
    const [warpRows, rows] = splitBy(w, loopOf(w, "rows"), plan.tile.m / plan.warps.m);
    const [warpColumns, columns] = splitBy(w, loopOf(w, "columns"), plan.tile.n / plan.warps.n);
    sch.reorder(warpRows, warpColumns, trips, rows, columns, depth);
    sch.bind(warpRows, "threadIdx.z");
    sch.bind(warpColumns, "threadIdx.y");
    setLoops(w, { warpRows, warpColumns, trips, rows, columns, depth });
    if (plan.warps.m * plan.warps.n === 1 && !plan.pad) return;
    for (const operand of operandsOf(w)) {
      const block = sch.cacheRead(product, operand, "shared");
      sch.computeAt(block, trips);
      copies.push({ block, operand: true });
    }
    withoutPadded(w);
  },
};
