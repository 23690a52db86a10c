/**
 * Requires: a block's tile as loops over its rows, its columns and all of K. Ensures: each warpgroup makes some of its rows, and takes K a tile at a
 * time; its sums are in registers across all of K, and stored after the last trip.
 */
import { loopOf, splitBy, type WgmmaPass } from "../working.ts";

export const distributeToWarpgroups: WgmmaPass = {
  name: "distribute-to-warpgroups",
  run(w) {
    const { sch, plan, product, loops, tensorized } = w;
    const { tile, consumers, sum } = plan;
    const height = tile.m / consumers;
    const [trips, depth] = splitBy(w, loopOf(w, "depth"), tile.k);
    const [warpgroups, rows] = splitBy(w, loopOf(w, "rows"), height);
    sch.reorder(warpgroups, trips, rows, loopOf(w, "columns"), depth);
    sch.bind(warpgroups, "threadIdx.y");
    const out = sch.cacheWrite(product, 0, "wgmma.accumulator", warpgroups);
    loops.set("warpgroups", warpgroups).set("trips", trips).set("rows", rows).set("depth", depth);
    tensorized.push({ block: out, intrinsic: `wgmma_store_${sum}_${height}x${tile.n}`, loops: 2 });
  },
};
