import { cdiv, fence, kernel, Mbarriers, range, staticRange, syncThreads, TileScheduler, TMA, threadIdx, tma, WGMMAMatrix, warpgroup, wgmma } from "warpsmith";
import { productShapes } from "../shapes.ts";
import type { Matmul } from "./blocked.ts";
import { makeOperands, makePanels, storePart } from "./operands.ts";
import { type Plan, partOf } from "./plan.ts";

/** C = A @ B: while one step is multiplied, the loads of the next ones are on their way, and the product itself runs on into the next step. */
export function makePipelined(plan: Plan): Matmul {
  const [tileM, tileN, tileK] = plan.tile, { rows, columns } = partOf(plan), { stages } = plan;
  const tilesOf = ({ shape: [M, N] }: { readonly shape: readonly [number, number] }) => [cdiv(M, tileM), cdiv(N, tileN)] as const;
  return kernel(
    { block: 128 * plan.warpgroups, grid: (_a, _b, c) => tilesOf(c)[0] * tilesOf(c)[1], blocksPerSM: plan.blocksPerSM ?? 1 },
    function pipelined(a: TMA<"f16", 2>, b: TMA<"f16", 2>, c: TMA<"f16", 2>) {
      productShapes(a, b, c, plan.transposed);
      const operands = makeOperands(a, b, plan), panels = makePanels(plan);
      const elected = threadIdx.x === 0, wg = warpgroup.index, steps = cdiv(a.shape[1], tileK);
      const full = new Mbarriers(stages);
      if (elected) {
        for (const s of staticRange(stages)) full.at(s).init(1);
        fence.mbarrierInit();
      }
      syncThreads();

      const { A, B } = operands.of(wg);
      for (const { m, n } of new TileScheduler(tilesOf(c))) {
        const load = (k: number) => {
          if (!elected || k >= steps) return;
          const stage = k % stages;
          full.at(stage).arrive({ tx: operands.bytes });
          operands.load(stage, full.at(stage), m, n, k);
        };
        for (const k of staticRange(stages - 1)) load(k);

        let D = WGMMAMatrix.accumulator("f32", [rows, columns]);
        let phase = false;
        for (const k of range(steps)) {
          const stage = k % stages;
          full.at(stage).wait(phase);
          D = D.mma(A(stage), B(stage), { accumulate: k > 0, wait: 1 });     // the product of the step before is done …
          syncThreads();                               // … in every warp: its stage may be overwritten
          load(k + stages - 1);
          if (stage === stages - 1) phase = !phase;
        }
        wgmma.wait(0);
        storePart(D, c, panels, plan, wg, m, n);
      }
      if (warpgroup.thread === 0) tma.wait(0);
    },
  );
}
