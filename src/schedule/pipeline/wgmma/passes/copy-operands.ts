/**
 * Requires: a loop over tiles of K. Ensures: tiles of A and B are copied to shared memory in each trip, laid out as TMA and wgmma share it. Where
 * something is computed of A first, each warpgroup takes its rows from there to registers, and computes it in them.
 */

import { writtenBuffers } from "../../../facts/touches.ts";
import { blocksOf } from "../../../ir/walk.ts";
import type { BlockRef } from "../../../schedule.ts";
import { paddedOperand } from "../padding.ts";
import { loopOf, type WgmmaPass, type WgmmaWorking } from "../working.ts";

/** A copy of what a block reads, made in each trip. */
function copyIn(w: WgmmaWorking, reader: BlockRef, name: string, scope: "shared" | "wgmma.matrix_a"): BlockRef {
  const copy = w.sch.cacheRead(reader, name, scope);
  w.sch.computeAt(copy, loopOf(w, "trips"));
  return copy;
}

/** What reads A as TMA brings it: the product; or what takes it to registers, where the rest is computed. */
function readerOfLeft(w: WgmmaWorking): BlockRef {
  const { sch, plan, product, tensorized } = w;
  const { contraction, left, tile, consumers } = plan;
  if (!left) return product;
  const computed = copyIn(w, product, contraction.a.buffer.name, "wgmma.matrix_a");
  for (const { name } of contraction.before) sch.computeInline(sch.getBlock(name));
  const { name, dtype } = left.source;
  const loaded = copyIn(w, computed, name, "wgmma.matrix_a");
  tensorized.push({ block: loaded, intrinsic: `wgmma_load_a_${dtype}_${tile.m / consumers}x${tile.k}_n`, loops: 2 });
  return loaded;
}

export const copyOperands: WgmmaPass = {
  name: "copy-operands",
  run(w) {
    const { sch, plan, product, tensorized } = w;
    const { contraction, tile } = plan;
    const { a, b } = contraction;
    const [m, n, k] = [tile.m, tile.n, tile.k];
    const parts = [
      { buffer: plan.left?.source ?? a.buffer, reader: readerOfLeft(w), shape: a.lines === "row" ? [m, k] : [k, m] },
      { buffer: b.buffer, reader: product, shape: b.lines === "row" ? [k, n] : [n, k] },
    ];
    for (const { buffer, reader, shape } of parts) {
      const from = paddedOperand(w, buffer);
      const copy = copyIn(w, reader, from.buffer.name, "shared");
      if (from.copy) sch.computeInline(from.copy);
      const [made] = blocksOf(sch.program).flatMap((x) => (x.name === copy.name ? writtenBuffers(x) : []));
      if (made) sch.storageSwizzle(made.name, "128B");
      tensorized.push({ block: copy, intrinsic: `tma_load_${buffer.dtype}_${shape.join("x")}_128B`, loops: 2 });
    }
  },
};
