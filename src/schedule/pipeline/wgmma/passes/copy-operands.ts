/** Requires: a loop over tiles of K. Ensures: tiles of A and B are copied to shared memory in each trip, laid out as TMA and wgmma share it. */
import { blocksOf } from "../../../ir/walk.ts";
import { writtenBuffers } from "../../../primitives/touches.ts";
import { paddedOperand } from "../padding.ts";
import { loopOf, type WgmmaPass } from "../working.ts";

export const copyOperands: WgmmaPass = {
  name: "copy-operands",
  run(w) {
    const { sch, plan, product, tensorized } = w;
    const { contraction, tile, input } = plan;
    const { a, b } = contraction;
    const [m, n, k] = [tile.m, tile.n, tile.k];
    const parts = [
      { buffer: a.buffer, shape: a.lines === "row" ? [m, k] : [k, m] },
      { buffer: b.buffer, shape: b.lines === "row" ? [k, n] : [n, k] },
    ];
    for (const { buffer, shape } of parts) {
      const from = paddedOperand(w, buffer);
      const copy = sch.cacheRead(product, from.buffer.name, "shared");
      sch.computeAt(copy, loopOf(w, "trips"));
      if (from.copy) sch.computeInline(from.copy);
      const [made] = blocksOf(sch.program).flatMap((x) => (x.name === copy.name ? writtenBuffers(x) : []));
      if (made) sch.storageSwizzle(made.name, "128B");
      tensorized.push({ block: copy, intrinsic: `tma_load_${input}_${shape.join("x")}_128B`, loops: 2 });
    }
  },
};
