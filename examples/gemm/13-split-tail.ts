import {
  blockIdx, cluster, fence, kernel, Pipeline, range, type Static, sharedMemory, staticRange, TileScheduler, TMA, tma,
  WGMMAMatrix, warp, warpgroup,
} from "warpsmith";
import type { Matrix } from "./matrix.ts";

const TILE_M = 256, TILE_N = 192, TILE_K = 64, STAGES = 3, CONSUMERS = 2, GROUP = 16, PANEL = 32, CLUSTER = 2;
const WARPS = 4;                                       // of a warpgroup

/** D = A @ Bᵀ, tiles of 256 x 192. Those that are left when some blocks would have no more tile are assigned as halves. */
export const gemm = kernel(
  { block: 128 * (1 + CONSUMERS), grid: (_a, _b, _d, blocks) => blocks, cluster: CLUSTER },
  function gemm(a: TMA<"f16", 2>, b: TMA<"f16", 2>, d: TMA<"f16", 2>, blocks: Static<number>) {
    const iters = a.shape[1] / TILE_K;
    const aTiles = sharedMemory.alloc("f16", [STAGES, TILE_M, TILE_K], { swizzle: "128B" });
    const bTiles = sharedMemory.alloc("f16", [STAGES, TILE_N, TILE_K], { swizzle: "128B" });
    const panels = sharedMemory.alloc("f16", [CONSUMERS, 2, TILE_M / 2, PANEL], { swizzle: "64B" });
    const pipe = new Pipeline({ stages: STAGES, consumers: CONSUMERS * WARPS, peers: CLUSTER });   // … in both blocks
    pipe.init();
    const extents = [Math.ceil(d.shape[0] / TILE_M), Math.ceil(d.shape[1] / TILE_N)] as const;
    const tiles = new TileScheduler(extents, { group: GROUP });
    const pairs = Math.ceil(extents[0] / CLUSTER) * extents[1], clusters = blocks / CLUSTER;
    const rest = pairs % clusters;                                     // pairs of tiles that do not make a round of all clusters

    /** All that this block computes: how many rows of D from which one on, and from which column. */
    const forEachTile = (compute: (rows: number, row: number, col: number) => void) => {
      const first = Math.trunc(blockIdx.x / CLUSTER);
      for (const i of range(first, pairs - rest, clusters)) {
        const { m, n } = tiles.at(i);
        compute(TILE_M, m * TILE_M, n * TILE_N);
      }
      for (const i of range(first, 2 * rest, clusters)) {
        const { m, n } = tiles.at(pairs - rest + (i >> 1));
        compute(TILE_M / 2, m * TILE_M + (i & 1) * (TILE_M / 2), n * TILE_N);
      }
    };

    warpgroup.specialize({
      producer: { registers: 40, run: () => {
        if (warpgroup.thread !== 0) return;
        const half = TILE_N / CLUSTER, mine = cluster.rank * half;
        let put = pipe.producer();
        forEachTile((rows, row, col) => {
          for (const k of range(iters)) {
            const A = aTiles.at(put.index).subview([0, 0], [rows, TILE_K]);
            const full = put.acquire(A.bytes + bTiles.at(0).bytes);
            a.load(A, full, [k * TILE_K, row]);
            const part = bTiles.at(put.index).subview([mine, 0], [half, TILE_K]);
            b.load(part, full, [k * TILE_K, col + mine], { multicast: 0b11 });
            put = put.next();
          }
        });
        put.drain();                                                   // the other block still arrives here
      } },

      consumer: { warpgroups: CONSUMERS, registers: 232, run: (wg) => {
        const B = WGMMAMatrix.descriptor(bTiles.transpose(0, 2, 1), [TILE_K, TILE_N]);
        const lane = warp.lane, leader = warpgroup.thread === 0;
        let get = pipe.consumer();
        forEachTile((rows, row, col) => {
          const half = rows / CONSUMERS, from = wg * half;
          const A = WGMMAMatrix.descriptor(aTiles.subview([0, from, 0], [STAGES, half, TILE_K]), [half, TILE_K]);
          let D = WGMMAMatrix.accumulator("f32", [half, TILE_N]);
          for (const k of range(iters)) {
            get.wait();
            D = D.mma(A.at(get.index), B.at(get.index), { accumulate: k > 0, wait: 0 });
            get.release({ pred: lane < CLUSTER, rank: lane });         // one thread for each block
            get = get.next();
          }
          for (const c of staticRange(0, TILE_N, PANEL)) {
            const panel = panels.at(wg, (c / PANEL) % 2).subview([0, 0], [half, PANEL]);
            D.columns(c, PANEL).convert("f16").store(panel);           // stmatrix
            fence.proxyAsync({ space: "shared::cta" });                // each thread: TMA sees what it has written
            if (leader) tma.wait(0, { read: true });                   // TMA has read the panel before this one …
            warpgroup.sync();                                          // … whose buffer may be written after this barrier
            if (leader) {
              d.store(panel, [col + c, row + from], { outside: true });      // of a ragged matrix
              tma.commit();
            }
          }
        });
        if (leader) tma.wait(0, { read: true });                       // shared memory goes with its block
      } },
    });
  },
);

export const args = (a: Matrix, b: Matrix, d: Matrix, multiprocessors: number) => [
  new TMA(a, { box: [TILE_M / 2, TILE_K], swizzle: "128B" }),
  new TMA(b, { box: [TILE_N / CLUSTER, TILE_K], swizzle: "128B" }),
  new TMA(d, { box: [64, PANEL], swizzle: "64B" }),
  multiprocessors - (multiprocessors % CLUSTER),
] as const;
