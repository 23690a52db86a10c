/**
 * Requires: the product as a plain nest of loops. Ensures: each block of the launch makes one tile of C: rows of tiles are blockIdx.y,
 * columns blockIdx.x, a batch blockIdx.z. Shapes that the tile does not divide are padded before. IREE's bufferisation has no work here:
 * programs have buffers from the start.
 */
import { blocksOf } from "../../ir/walk.ts";
import type { LoopRef } from "../../schedule.ts";
import { loopOfAxis } from "../contraction.ts";
import { type PipelinePass, setLoops, splitBy, type Working } from "../working.ts";

/** The loop that an axis of the product takes its value from; a batch of one may have none. */
function loopFor(w: Working, axis: number): LoopRef | undefined {
  const block = blocksOf(w.sch.program).find((b) => b.name === w.product.name);
  const v = block && loopOfAxis(block, axis);
  return w.sch.getLoops(w.product).find((l) => l.variable === v);
}
function driving(w: Working, axis: number): LoopRef {
  const found = loopFor(w, axis);
  if (!found) throw new Error(`'${w.product.name}' has no loop for axis ${axis}`);
  return found;
}

export const tileAndDistribute: PipelinePass = {
  name: "tile-and-distribute",
  run(w) {
    const { sch, plan, loops } = w;
    const { axes } = plan.contraction;
    if (plan.pad) for (const copy of sch.pad(w.product, plan.pad)) w.padding.push(copy);
    const ofBatch = axes.batch === undefined ? undefined : loopFor(w, axes.batch);
    const batch = ofBatch ? [ofBatch] : [];
    const k = driving(w, axes.k);
    const [blockRows, rows] = splitBy(w, driving(w, axes.m), plan.tile.m);
    const [blockColumns, columns] = splitBy(w, driving(w, axes.n), plan.tile.n);
    sch.reorder(...batch, blockRows, blockColumns, rows, columns, k);
    for (const loop of batch) {
      sch.bind(loop, "blockIdx.z");
      loops.set("batch", loop);
    }
    sch.bind(blockRows, "blockIdx.y");
    sch.bind(blockColumns, "blockIdx.x");
    setLoops(w, { blockRows, blockColumns, rows, columns, depth: k });
  },
};
