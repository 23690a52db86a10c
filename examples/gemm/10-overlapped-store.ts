import {
  fence, kernel, Pipeline, range, type Static, sharedMemory, staticRange, TileScheduler, TMA, tma,
  WGMMAMatrix, warp, warpgroup,
} from "warpsmith";
import type { Matrix } from "./matrix.ts";

const TILE_M = 128, TILE_N = 256, TILE_K = 64, STAGES = 4, CONSUMERS = 2, GROUP = 16, PANEL = 64;
const WARPS = 4;                                       // of a warpgroup

/** D = A @ Bᵀ, a tile after the other by each block. D leaves through two buffers: TMA empties one while the other is filled. */
export const gemm = kernel(
  { block: 128 * (1 + CONSUMERS), grid: (_a, _b, _d, blocks) => blocks },
  function gemm(a: TMA<"f16", 2>, b: TMA<"f16", 2>, d: TMA<"f16", 2>, _blocks: Static<number>) {
    const iters = a.shape[1] / TILE_K;
    const aTiles = sharedMemory.alloc("f16", [STAGES, TILE_M, TILE_K], { swizzle: "128B" });
    const bTiles = sharedMemory.alloc("f16", [STAGES, TILE_N, TILE_K], { swizzle: "128B" });
    const panels = sharedMemory.alloc("f16", [CONSUMERS, 2, 64, PANEL], { swizzle: "128B" });
    const pipe = new Pipeline({ stages: STAGES, consumers: CONSUMERS * WARPS });   // a warp waits for its own rows alone
    pipe.init();
    const tiles = new TileScheduler([d.shape[0] / TILE_M, d.shape[1] / TILE_N], { mode: "persistent", group: GROUP });

    warpgroup.specialize({
      producer: { registers: 40, run: () => {
        if (warpgroup.thread !== 0) return;
        let put = pipe.producer();
        for (const { m, n } of tiles) {                                // the tiles of this block
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
        const first = warp.lane === 0, leader = warpgroup.thread === 0;
        let get = pipe.consumer();
        for (const { m, n } of tiles) {
          let D = WGMMAMatrix.accumulator("f32", [64, TILE_N]);
          for (const k of range(iters)) {
            get.wait();
            D = D.mma(A.at(get.index), B.at(get.index), { accumulate: k > 0, wait: 0 });
            get.release({ pred: first });
            get = get.next();
          }
          for (const c of staticRange(0, TILE_N, PANEL)) {
            const panel = panels.at(wg, (c / PANEL) % 2);
            D.columns(c, PANEL).convert("f16").store(panel);           // stmatrix
            fence.proxyAsync({ space: "shared::cta" });                // each thread: TMA sees what it has written
            if (leader) tma.wait(0, { read: true });                   // TMA has read the panel before this one …
            warpgroup.sync();                                          // … whose buffer may be written after this barrier
            if (leader) {
              d.store(panel, [n * TILE_N + c, m * TILE_M + wg * 64]);
              tma.commit();
            }
          }
        }
        if (leader) tma.wait(0, { read: true });                       // shared memory goes with its block
      } },
    });
  },
);

export const args = (a: Matrix, b: Matrix, d: Matrix, multiprocessors: number) => [
  new TMA(a, { box: [TILE_M, TILE_K], swizzle: "128B" }),
  new TMA(b, { box: [TILE_N, TILE_K], swizzle: "128B" }),
  new TMA(d, { box: [64, PANEL], swizzle: "128B" }),
  multiprocessors,
] as const;
