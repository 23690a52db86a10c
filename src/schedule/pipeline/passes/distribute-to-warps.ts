/**
 * Requires: a block's tile of the product as loops over its rows, its columns and all of K. Ensures: C's tile is copied to shared memory and
 * back (`promoteC`); K is taken a tile at a time; each warp makes a part of the tile; A and B are copied to shared memory for each trip,
 * where more than one warp reads them; what is computed of them, and of the result, is computed on those ways. Barriers are put in by lowering.
 *
 * A thread's place is that of IREE: with a workgroup [64, 2, 1] warps lie two along N and two along M. Lanes of a warp are threadIdx.x here, warps
 * along N threadIdx.y, along M threadIdx.z, so the same threads in the same order. Warps are tiled before A and B are copied, because the
 * copies stand inside the loop over K, and that inside those of the warps.
 */
import { cachedC, loopOf, operandsOf, type PipelinePass, setLoops, splitBy, type Working } from "../working.ts";

function promoteC(w: Working): void {
  const { plan, copies } = w;
  if (plan.promoteC !== "shared") return;
  const { into, out } = cachedC(w, "shared", loopOf(w, "blockColumns"));
  if (into) copies.push({ block: into, operand: false });
  copies.push({ block: out, operand: false });
}

/**
 * What makes the product's operands is computed where tiles of them are copied to shared memory, what takes its result where those are
 * copied from there: in the registers of a thread. So are padded matrices.
 */
function fuse({ sch, plan, product, padding }: Working): void {
  const { before, after } = plan.contraction;
  const made = sch.getConsumers(product);
  const results = new Set(
    (plan.promoteC === "shared" ? made.flatMap((copy) => sch.getConsumers(copy)) : made).map((b) => b.name),
  );
  if (plan.promoteC === "shared") for (const block of padding) if (results.has(block.name)) sch.reverseComputeInline(block);
  for (const { name } of after) sch.reverseComputeInline(sch.getBlock(name));
  for (const block of padding) if (!results.has(block.name)) sch.computeInline(block);
  for (const { name } of before) sch.computeInline(sch.getBlock(name));
}

export const distributeToWarps: PipelinePass = {
  name: "distribute-to-warps",
  run(w) {
    const { sch, plan, product, copies, tensorized } = w;
    promoteC(w);
    const [trips, depth] = splitBy(w, loopOf(w, "depth"), plan.tile.k);
    const [warpRows, rows] = splitBy(w, loopOf(w, "rows"), plan.tile.m / plan.warps.m);
    const [warpColumns, columns] = splitBy(w, loopOf(w, "columns"), plan.tile.n / plan.warps.n);
    sch.reorder(warpRows, warpColumns, trips, rows, columns, depth);
    sch.bind(warpRows, "threadIdx.z");
    sch.bind(warpColumns, "threadIdx.y");
    setLoops(w, { warpRows, warpColumns, trips, rows, columns, depth });
    if (!plan.promoteOperands) return fuse(w);
    for (const [n, operand] of operandsOf(w).entries()) {
      const block = sch.cacheRead(product, operand, "shared");
      sch.computeAt(block, trips);
      copies.push({ block, operand: true });
      if (plan.tma) tensorized.push({ block, intrinsic: n === 0 ? plan.tma.a : plan.tma.b, loops: 2 });
    }
    fuse(w);
  },
};
