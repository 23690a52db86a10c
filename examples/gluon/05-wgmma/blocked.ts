import { cdiv, fence, type Kernel, kernel, Mbarriers, range, syncThreads, TileScheduler, TMA, threadIdx, tma, WGMMAMatrix, warpgroup } from "warpsmith";
import { productShapes } from "../shapes.ts";
import { makeOperands, makePanels, storePart } from "./operands.ts";
import { type Matrix, mapsOf, type Plan, partOf } from "./plan.ts";

export type Matmul = Kernel<[a: TMA<"f16", 2>, b: TMA<"f16", 2>, c: TMA<"f16", 2>]>;
export type BlockedPlan = Omit<Plan, "stages">;

/** C = A @ B: a tile for each block, which goes along K, loads a step, multiplies it, and loads the next. */
export function makeBlocked(blocked: BlockedPlan): Matmul {
  const plan: Plan = { ...blocked, stages: 1 };
  const [tileM, tileN, tileK] = plan.tile, { rows, columns } = partOf(plan);
  const tilesOf = ({ shape: [M, N] }: { readonly shape: readonly [number, number] }) => [cdiv(M, tileM), cdiv(N, tileN)] as const;
  return kernel(
    { block: 128 * plan.warpgroups, grid: (_a, _b, c) => tilesOf(c)[0] * tilesOf(c)[1], blocksPerSM: plan.blocksPerSM ?? 1 },
    function blocked(a: TMA<"f16", 2>, b: TMA<"f16", 2>, c: TMA<"f16", 2>) {
      productShapes(a, b, c, plan.transposed);
      const operands = makeOperands(a, b, plan), panels = makePanels(plan);
      const elected = threadIdx.x === 0, wg = warpgroup.index;
      const loaded = new Mbarriers(1).at(0);
      if (elected) {
        loaded.init(1);
        fence.mbarrierInit();
      }
      syncThreads();

      const { A, B } = operands.of(wg);
      for (const { m, n } of new TileScheduler(tilesOf(c))) {
        let D = WGMMAMatrix.accumulator("f32", [rows, columns]);
        let phase = false;
        for (const k of range(cdiv(a.shape[1], tileK))) {
          if (elected) {
            loaded.arrive({ tx: operands.bytes });
            operands.load(0, loaded, m, n, k);
          }
          loaded.wait(phase);
          phase = !phase;
          D = D.mma(A(0), B(0), { accumulate: k > 0, wait: 0 });
          syncThreads();                               // every warp is done with the tiles: they may be overwritten
        }
        storePart(D, c, panels, plan, wg, m, n);
      }
      if (warpgroup.thread === 0) tma.wait(0);
    },
  );
}

export const blockedArgs = (a: Matrix, b: Matrix, c: Matrix, plan: BlockedPlan) => mapsOf(a, b, c, { ...plan, stages: 1 });
