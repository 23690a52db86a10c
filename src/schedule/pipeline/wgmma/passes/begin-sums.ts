/** Requires: a product whose operands are in shared memory. Ensures: its sums are set to 0 before the first trip. */
import { loopOf, type WgmmaPass } from "../working.ts";

export const beginSums: WgmmaPass = {
  name: "begin-sums",
  run(w) {
    const { sch, plan, product, tensorized } = w;
    const { tile, consumers, input, sum, contraction, left } = plan;
    const shape = `${tile.m / consumers}x${tile.n}`;
    const order = `${left ? "r" : contraction.a.lines === "row" ? "n" : "t"}${contraction.b.lines === "row" ? "n" : "t"}`;
    const [zero, update] = sch.decomposeReduction(product, loopOf(w, "trips"));
    tensorized.push(
      { block: zero, intrinsic: `wgmma_fill_${sum}_${shape}`, loops: 2 },
      { block: update, intrinsic: `wgmma_sync_${input}_${sum}_${shape}x${tile.k}_${order}`, loops: 3 },
    );
  },
};
