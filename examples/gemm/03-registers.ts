import {
  kernel, Pipeline, range, sharedMemory, type Tensor, TileScheduler, TMA, WGMMAMatrix, warpgroup, wgmma,
} from "warpsmith";
import type { Matrix } from "./matrix.ts";

const TILE_M = 128, TILE_N = 256, TILE_K = 64, STAGES = 4, CONSUMERS = 2;

/** D = A @ Bᵀ, a tile for each block: two warpgroups multiply, with the registers that the one that loads has no use for. */
export const gemm = kernel(
  { block: 128 * (1 + CONSUMERS), grid: (_a, _b, d) => [d.shape[0] / TILE_M, d.shape[1] / TILE_N] },
  function gemm(a: TMA<"f16", 2>, b: TMA<"f16", 2>, d: Tensor<"f16", 2>) {
    const iters = a.shape[1] / TILE_K;
    const aTiles = sharedMemory.alloc("f16", [STAGES, TILE_M, TILE_K], { swizzle: "128B" });
    const bTiles = sharedMemory.alloc("f16", [STAGES, TILE_N, TILE_K], { swizzle: "128B" });
    const pipe = new Pipeline({ stages: STAGES, consumers: CONSUMERS * 128 });   // all threads of the consumers hand a stage back
    pipe.init();
    const tiles = new TileScheduler([d.shape[0] / TILE_M, d.shape[1] / TILE_N], { order: "column" });

    warpgroup.specialize({
      producer: { registers: 40, run: () => {
        if (warpgroup.thread !== 0) return;
        let put = pipe.producer();
        for (const { m, n } of tiles) {                                // the tile of this block
          for (const k of range(iters)) {
            const full = put.acquire(aTiles.at(0).bytes + bTiles.at(0).bytes);
            a.load(aTiles.at(put.index), full, [k * TILE_K, m * TILE_M]);
            b.load(bTiles.at(put.index), full, [k * TILE_K, n * TILE_N]);
            put = put.next();
          }
        }
      } },

      consumer: { warpgroups: CONSUMERS, registers: 232, run: (wg) => {
        const A = WGMMAMatrix.descriptor(aTiles.subview([0, wg * 64, 0], [STAGES, 64, TILE_K]), [64, TILE_K]);
        const B = WGMMAMatrix.descriptor(bTiles.transpose(0, 2, 1), [TILE_K, TILE_N]);
        let get = pipe.consumer(), held = get;
        for (const { m, n } of tiles) {
          let D = WGMMAMatrix.accumulator("f32", [64, TILE_N]);
          for (const k of range(iters)) {
            get.wait();
            D = D.mma(A.at(get.index), B.at(get.index), { wait: 1 });
            held.release({ pred: k > 0 });                             // the product before is done: its stage may be filled again
            held = get;
            get = get.next();
          }
          wgmma.wait(0);
          D.convert("f16").store(d.subview([m * TILE_M + wg * 64, n * TILE_N], [64, TILE_N]));
        }
      } },
    });
  },
);

export const args = (a: Matrix, b: Matrix, d: Matrix) => [
  new TMA(a, { box: [TILE_M, TILE_K], swizzle: "128B" }),
  new TMA(b, { box: [TILE_N, TILE_K], swizzle: "128B" }),
  d,
] as const;
