import { cdiv, kernel, Pipeline, range, type Static, TileScheduler, TMA, tma, WGMMAMatrix, warp, warpgroup, wgmma } from "warpsmith";
import { productShapes } from "../shapes.ts";
import { makeOperands, makePanels, storePart } from "../05-wgmma/operands.ts";
import { partOf } from "../05-wgmma/plan.ts";
import type { PersistentMatmul, PersistentPlan } from "../07-persistence/persistent.ts";

/** C = A @ B: one warpgroup loads, `plan.warpgroups` others multiply and store. Blocks stay, and the loads run on into the next tile. */
export function makeMatmul(plan: PersistentPlan): PersistentMatmul {
  const [tileM, tileN, tileK] = plan.tile, { rows, columns } = partOf(plan), { stages, warpgroups } = plan;
  const running = warpgroups === 1 ? 1 : 0;            // products left running: of two warpgroups the other one's runs
  return kernel(
    { block: 128 * (1 + warpgroups), grid: (_a, _b, _c, blocks) => blocks },
    function matmul(a: TMA<"f16", 2>, b: TMA<"f16", 2>, c: TMA<"f16", 2>, _blocks: Static<number>) {
      productShapes(a, b, c, plan.transposed);
      const operands = makeOperands(a, b, plan), panels = makePanels(plan), steps = cdiv(a.shape[1], tileK);
      const pipe = new Pipeline({ stages, consumers: 4 * warpgroups });
      pipe.init();
      const tiles = new TileScheduler([cdiv(c.shape[0], tileM), cdiv(c.shape[1], tileN)], { mode: "persistent", ...plan.order });

      warpgroup.specialize({
        load: { registers: 40, run: () => {
          if (warpgroup.thread !== 0) return;
          let put = pipe.producer();
          for (const { m, n } of tiles) {
            for (const k of range(steps)) {
              operands.load(put.index, put.acquire(operands.bytes), m, n, k);
              put = put.next();
            }
          }
        } },

        multiply: { warpgroups, registers: 232, run: (wg) => {
          const { A, B } = operands.of(wg), first = warp.lane === 0;
          let get = pipe.consumer(), held = get;
          for (const { m, n } of tiles) {
            let D = WGMMAMatrix.accumulator("f32", [rows, columns]);
            for (const k of range(steps)) {
              get.wait();
              D = D.mma(A(get.index), B(get.index), { accumulate: k > 0, wait: running });
              if (running === 0) get.release({ pred: first });
              else held.release({ pred: first && k > 0 });
              held = get;
              get = get.next();
            }
            wgmma.wait(0);
            if (running > 0) held.release({ pred: first });
            storePart(D, c, panels, plan, wg, m, n);
          }
          if (warpgroup.thread === 0) tma.wait(0);
        } },
      });
    },
  );
}
