/**
 * Requires: a block's tile as loops over its rows, its columns and all of K. Ensures: each warpgroup makes some of its rows, and takes K a tile at a
 * time; its sums are in registers across all of K, and stored after the last trip; what
 * blocks beside the product make of them is computed in registers on that way.
 */
import { loopOf, splitBy, type WgmmaPass } from "../working.ts";

export const distributeToWarpgroups: WgmmaPass = {
  name: "distribute-to-warpgroups",
  run(w) {
    const { sch, plan, product, loops, tensorized, padding } = w;
    const { tile, consumers, contraction, result, stores, panels } = plan;
    const height = tile.m / consumers;
    const [trips, depth] = splitBy(w, loopOf(w, "depth"), tile.k);
    const [warpgroups, rows] = splitBy(w, loopOf(w, "rows"), height);
    sch.reorder(warpgroups, trips, rows, loopOf(w, "columns"), depth);
    sch.bind(warpgroups, "threadIdx.y");
    const sums = sch.cacheWrite(product, 0, "wgmma.accumulator", warpgroups);
    for (const { name } of contraction.after) sch.reverseComputeInline(sch.getBlock(name));
    const out = contraction.after.length > 0 ? sch.cacheWrite(sums, 0, "wgmma.accumulator", warpgroups) : sums;
    if (padding?.back) sch.reverseComputeInline(padding.back);
    loops.set("warpgroups", warpgroups).set("trips", trips).set("rows", rows).set("depth", depth);
    const shape = `${result}_${height}x${tile.n}`;
    tensorized.push({
      block: out,
      intrinsic: stores === "thread" ? `wgmma_store_${shape}` : `tma_store_${shape}_${stores}${panels === 2 ? "" : `_${panels}`}`,
      loops: 2,
    });
  },
};
