import { blockIdx, cdiv, gridDim, kernel, Pipeline, range, type Static, syncWarp, TileScheduler, TMA, threadIdx, tma, WGMMAMatrix, warp, warpgroup, wgmma } from "warpsmith";
import { productShapes } from "../shapes.ts";
import { makeOperands, makePanels, storePart } from "../05-wgmma/operands.ts";
import { partOf } from "../05-wgmma/plan.ts";
import type { PersistentMatmul, PersistentPlan } from "./persistent.ts";

/** The same, pipelined over tiles, too: the loads go on to the next tile while this one is still multiplied and stored. */
export function makeOverlapped(plan: PersistentPlan): PersistentMatmul {
  const [tileM, tileN, tileK] = plan.tile, { rows, columns } = partOf(plan), { stages, warpgroups } = plan;
  const ahead = stages - 2;
  return kernel(
    { block: 128 * warpgroups, grid: (_a, _b, _c, blocks) => blocks, blocksPerSM: plan.blocksPerSM ?? 1 },
    function overlapped(a: TMA<"f16", 2>, b: TMA<"f16", 2>, c: TMA<"f16", 2>, _blocks: Static<number>) {
      productShapes(a, b, c, plan.transposed);
      const operands = makeOperands(a, b, plan), panels = makePanels(plan);
      const pipe = new Pipeline({ stages, consumers: 4 * warpgroups });
      pipe.init();
      const wg = warpgroup.index, { A, B } = operands.of(wg), steps = cdiv(a.shape[1], tileK);
      const elected = threadIdx.x === 0, first = warp.lane === 0;
      const down = cdiv(c.shape[0], tileM), across = cdiv(c.shape[1], tileN);
      const tiles = new TileScheduler([down, across], { mode: "persistent", ...plan.order });

      let put = pipe.producer(), get = pipe.consumer(), held = get;
      let number = blockIdx.x, next = tiles.at(number), step = 0;             // what is to be loaded next
      const load = () => {
        if (elected && number < down * across) {
          operands.load(put.index, put.acquire(operands.bytes), next.m, next.n, step);
          put = put.next();
          step++;
          if (step === steps) {                        // the loads of this tile are all under way: on to the next one
            step = 0;
            number += gridDim.x;
            next = tiles.at(number);
          }
        }
        syncWarp();
      };
      for (const _ of range(ahead)) load();

      for (const { m, n } of tiles) {
        let D = WGMMAMatrix.accumulator("f32", [rows, columns]);
        for (const k of range(steps)) {
          load();
          get.wait();
          D = D.mma(A(get.index), B(get.index), { accumulate: k > 0, wait: 1 });
          held.release({ pred: first && k > 0 });
          held = get;
          get = get.next();
        }
        wgmma.wait(0);
        held.release({ pred: first });
        storePart(D, c, panels, plan, wg, m, n);
      }
      if (warpgroup.thread === 0) tma.wait(0);
    },
  );
}
