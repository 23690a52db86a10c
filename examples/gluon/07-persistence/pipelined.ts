import { cdiv, kernel, Pipeline, type ProducerStage, range, syncWarp, TileScheduler, TMA, threadIdx, tma, WGMMAMatrix, warp, warpgroup, wgmma } from "warpsmith";
import { productShapes } from "../shapes.ts";
import type { Matmul } from "../05-wgmma/blocked.ts";
import { makeOperands, makePanels, storePart } from "../05-wgmma/operands.ts";
import { type Plan, partOf } from "../05-wgmma/plan.ts";

/** C = A @ B, a tile for each block. No barrier of the block is left in the loop: warps hand each stage back when they are done with it. */
export function makePipelined(plan: Plan): Matmul {
  const [tileM, tileN, tileK] = plan.tile, { rows, columns } = partOf(plan), { stages, warpgroups } = plan;
  const ahead = stages - 2;                            // steps that the loads are ahead of the products
  const tilesOf = ({ shape: [M, N] }: { readonly shape: readonly [number, number] }) => [cdiv(M, tileM), cdiv(N, tileN)] as const;
  return kernel(
    { block: 128 * warpgroups, grid: (_a, _b, c) => tilesOf(c)[0] * tilesOf(c)[1], blocksPerSM: plan.blocksPerSM ?? 1 },
    function pipelined(a: TMA<"f16", 2>, b: TMA<"f16", 2>, c: TMA<"f16", 2>) {
      productShapes(a, b, c, plan.transposed);
      const operands = makeOperands(a, b, plan), panels = makePanels(plan);
      const pipe = new Pipeline({ stages, consumers: 4 * warpgroups });       // every warp hands a stage back
      pipe.init();
      const wg = warpgroup.index, { A, B } = operands.of(wg), steps = cdiv(a.shape[1], tileK);
      const elected = threadIdx.x === 0, first = warp.lane === 0;

      for (const { m, n } of new TileScheduler(tilesOf(c))) {
        const load = (put: ProducerStage, k: number) => {
          if (elected) operands.load(put.index, put.acquire(operands.bytes), m, n, k);
          syncWarp();                                  // one lane may have waited, and wgmma needs all of them
          return put.next();
        };
        let put = pipe.producer(), get = pipe.consumer(), held = get;
        for (const k of range(Math.min(ahead, steps))) put = load(put, k);

        let D = WGMMAMatrix.accumulator("f32", [rows, columns]);
        for (const k of range(steps)) {
          if (k + ahead < steps) put = load(put, k + ahead);   // into the stage of step k - 2, which was handed back a step ago
          get.wait();
          D = D.mma(A(get.index), B(get.index), { accumulate: k > 0, wait: 1 });
          held.release({ pred: first && k > 0 });      // the product of step k - 1 is done
          held = get;
          get = get.next();
        }
        wgmma.wait(0);
        storePart(D, c, panels, plan, wg, m, n);
      }
      if (warpgroup.thread === 0) tma.wait(0);
    },
  );
}
