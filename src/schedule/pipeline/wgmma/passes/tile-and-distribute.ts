/**
 * Requires: the product as a plain nest of loops. Ensures: each block of the launch makes one tile of C, all of K, with zeros where the
 * shape has no such rows, columns or summands; tiles are counted row by row, or `swizzle` rows of tiles at a time.
 */
import { padShape } from "../padding.ts";
import { driving, splitBy, type WgmmaPass } from "../working.ts";

export const tileAndDistribute: WgmmaPass = {
  name: "tile-and-distribute",
  run(w) {
    const { sch, plan, loops } = w;
    const { axes, shape } = plan.contraction;
    w.padding = padShape(w);
    const k = driving(w, axes.k);
    const [tileRows, rows] = splitBy(w, driving(w, axes.m), plan.tile.m);
    const [tileColumns, columns] = splitBy(w, driving(w, axes.n), plan.tile.n);
    sch.reorder(tileRows, tileColumns, rows, columns, k);
    const tiles = sch.fuse(tileRows, tileColumns);
    if (plan.swizzle > 1) sch.swizzleBlocks(tiles, Math.ceil(shape.n / plan.tile.n), plan.swizzle);
    sch.bind(tiles, "blockIdx.x");
    loops.set("tiles", tiles).set("rows", rows).set("columns", columns).set("depth", k);
  },
};
