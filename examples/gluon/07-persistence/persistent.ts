import {
  cdiv, type Kernel, kernel, Pipeline, type ProducerStage, range, type Static, syncWarp, TileScheduler, type TileSchedulerOptions, TMA, threadIdx, tma, WGMMAMatrix, warp,
  warpgroup, wgmma,
} from "warpsmith";
import { productShapes } from "../shapes.ts";
import { makeOperands, makePanels, storePart } from "../05-wgmma/operands.ts";
import { type Plan, partOf } from "../05-wgmma/plan.ts";

export interface PersistentPlan extends Plan {
  /** The order in which tiles are assigned. */
  readonly order: Pick<TileSchedulerOptions, "order" | "group">;
}
export type PersistentMatmul = Kernel<[a: TMA<"f16", 2>, b: TMA<"f16", 2>, c: TMA<"f16", 2>, blocks: Static<number>]>;

/** C = A @ B by as many blocks as there is room for. Each takes tile after tile, and makes its shared memory and barriers once. */
export function makePersistent(plan: PersistentPlan): PersistentMatmul {
  const [tileM, tileN, tileK] = plan.tile, { rows, columns } = partOf(plan), { stages, warpgroups } = plan;
  const ahead = stages - 2;
  return kernel(
    { block: 128 * warpgroups, grid: (_a, _b, _c, blocks) => blocks, blocksPerSM: plan.blocksPerSM ?? 1 },
    function persistent(a: TMA<"f16", 2>, b: TMA<"f16", 2>, c: TMA<"f16", 2>, _blocks: Static<number>) {
      productShapes(a, b, c, plan.transposed);
      const operands = makeOperands(a, b, plan), panels = makePanels(plan);
      const pipe = new Pipeline({ stages, consumers: 4 * warpgroups });
      pipe.init();
      const wg = warpgroup.index, { A, B } = operands.of(wg), steps = cdiv(a.shape[1], tileK);
      const elected = threadIdx.x === 0, first = warp.lane === 0;
      const tiles = new TileScheduler([cdiv(c.shape[0], tileM), cdiv(c.shape[1], tileN)], { mode: "persistent", ...plan.order });

      let put = pipe.producer(), get = pipe.consumer(), held = get;           // they go on from tile to tile
      for (const { m, n } of tiles) {
        const load = (put: ProducerStage, k: number) => {
          if (elected) operands.load(put.index, put.acquire(operands.bytes), m, n, k);
          syncWarp();
          return put.next();
        };
        for (const k of range(Math.min(ahead, steps))) put = load(put, k);

        let D = WGMMAMatrix.accumulator("f32", [rows, columns]);
        for (const k of range(steps)) {
          if (k + ahead < steps) put = load(put, k + ahead);
          get.wait();
          D = D.mma(A(get.index), B(get.index), { accumulate: k > 0, wait: 1 });
          held.release({ pred: first && k > 0 });
          held = get;
          get = get.next();
        }
        wgmma.wait(0);
        held.release({ pred: first });                 // the last stage of the tile, too
        storePart(D, c, panels, plan, wg, m, n);
      }
      if (warpgroup.thread === 0) tma.wait(0);
    },
  );
}
