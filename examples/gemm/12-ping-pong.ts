import {
  cluster, fence, kernel, namedBarrier, Pipeline, range, type Static, sharedMemory, staticRange, TileScheduler, TMA, tma,
  WGMMAMatrix, warp, warpgroup, wgmma,
} from "warpsmith";
import type { Matrix } from "./matrix.ts";

const TILE_M = 128, TILE_N = 192, TILE_K = 64, STAGES = 4, CONSUMERS = 2, GROUP = 16, PANEL = 32, CLUSTER = 2;
const WARPS = 4;                                       // of a warpgroup

/** D = A @ Bᵀ, tiles of 128 x 192, each by one consumer: while one multiplies, the other stores. Then they change places. */
export const gemm = kernel(
  { block: 128 * (1 + CONSUMERS), grid: (_a, _b, _d, blocks) => blocks, cluster: CLUSTER },
  function gemm(a: TMA<"f16", 2>, b: TMA<"f16", 2>, d: TMA<"f16", 2>, blocks: Static<number>) {
    const iters = a.shape[1] / TILE_K;
    const aTiles = sharedMemory.alloc("f16", [STAGES, TILE_M, TILE_K], { swizzle: "128B" });
    const bTiles = sharedMemory.alloc("f16", [STAGES, TILE_N, TILE_K], { swizzle: "128B" });
    const panels = sharedMemory.alloc("f16", [CONSUMERS, 2, TILE_M, PANEL], { swizzle: "64B" });
    const pipe = new Pipeline({ stages: STAGES, consumers: WARPS, peers: CLUSTER });   // a stage is one consumer's
    pipe.init();
    const extents = [Math.ceil(d.shape[0] / TILE_M), Math.ceil(d.shape[1] / TILE_N)] as const;
    const all = Math.ceil(extents[0] / CLUSTER) * CLUSTER * extents[1];  // a pair beside the last row of tiles counts in full
    const tiles = new TileScheduler(extents, { mode: "persistent", group: GROUP });

    warpgroup.specialize({
      producer: { registers: 40, run: () => {
        if (warpgroup.thread !== 0) return;
        const half = TILE_N / CLUSTER, mine = cluster.rank * half;
        let put = pipe.producer();
        for (const { m, n } of tiles) {                                // the tiles of this block
          for (const k of range(iters)) {
            const full = put.acquire(aTiles.at(0).bytes + bTiles.at(0).bytes);
            a.load(aTiles.at(put.index), full, [k * TILE_K, m * TILE_M]);
            const part = bTiles.at(put.index).subview([mine, 0], [half, TILE_K]);
            b.load(part, full, [k * TILE_K, n * TILE_N + mine], { multicast: 0b11 });
            put = put.next();
          }
        }
        put.drain();                                                   // the other block still arrives here
      } },

      consumer: { warpgroups: CONSUMERS, registers: 232, run: (wg) => {
        const A = WGMMAMatrix.descriptor(aTiles, [TILE_M, TILE_K]);
        const B = WGMMAMatrix.descriptor(bTiles.transpose(0, 2, 1), [TILE_K, TILE_N]);
        const lane = warp.lane, leader = warpgroup.thread === 0;
        const turn = namedBarrier(1 + wg, 256), others = namedBarrier(2 - wg, 256);
        const mine = new TileScheduler(extents, { mode: "persistent", group: GROUP, every: CONSUMERS, from: wg });
        if (wg === 1) others.arrive();                                 // the first turn is the first consumer's
        let get = pipe.consumer().next(wg * iters), held = get;
        for (const { m, n, index } of mine) {
          turn.sync();
          let D = WGMMAMatrix.accumulator("f32", [TILE_M, TILE_N]);
          for (const k of range(iters)) {
            get.wait();
            D = D.mma(A.at(get.index), B.at(get.index), { accumulate: k > 0, wait: 1 }); // it is alone: no gaps
            held.release({ pred: lane < CLUSTER && k > 0, rank: lane });
            held = get;
            get = get.next();
          }
          if (index + blocks < all) others.arrive();                   // the tensor cores are the other's, if it has a tile
          wgmma.wait(0);
          held.release({ pred: lane < CLUSTER, rank: lane });
          get = get.next(iters);                                       // the stages of the other's tile
          for (const c of staticRange(0, TILE_N, PANEL)) {
            const panel = panels.at(wg, (c / PANEL) % 2);
            D.columns(c, PANEL).convert("f16").store(panel);           // stmatrix
            fence.proxyAsync({ space: "shared::cta" });                // each thread: TMA sees what it has written
            if (leader) tma.wait(0, { read: true });                   // TMA has read the panel before this one …
            warpgroup.sync();                                          // … whose buffer may be written after this barrier
            if (leader) {
              d.store(panel, [n * TILE_N + c, m * TILE_M], { outside: true }); // of a ragged matrix
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
  new TMA(b, { box: [TILE_N / CLUSTER, TILE_K], swizzle: "128B" }),
  new TMA(d, { box: [TILE_M, PANEL], swizzle: "64B" }),
  multiprocessors - (multiprocessors % CLUSTER),
] as const;
