// D = epilogue(A @ Bᵀ): the shape of the fastest known Hopper kernels. Two consumer warpgroups share a 128 x 256 tile, a producer
// keeps four stages full, two blocks of a cluster share B by multicast, and D leaves by TMA while the next tile is computed.
import {
  cluster, fence, helper, kernel, namedBarrier, Pipeline, range, sharedMemory, staticRange, TileScheduler, TMA, tma, warpgroup, wgmma, WGMMAMatrix,
  type Static, type Tensor,
} from "warpsmith";

const TILE_M = 128, TILE_N = 256, TILE_K = 64, STAGES = 4, CONSUMERS = 2, CLUSTER = 2, WARPS = 4;

/** What becomes of each element before it is rounded: its value, its row and its column in D. */
export type Epilogue = (value: number, row: number, col: number) => number;

export function makeGemm(M: number, N: number, K: number, grid = 132) {
  return kernel(
    { block: 128 * (1 + CONSUMERS), grid, cluster: CLUSTER },
    function gemm(a: TMA<"f16", 2>, b: TMA<"f16", 2>, d: TMA<"f16", 2>, bias: Tensor<"f32", 1>, epilogue: Static<(bias: Tensor<"f32", 1>) => Epilogue>) {
      const aTiles = sharedMemory.alloc("f16", [STAGES, TILE_M, TILE_K], { swizzle: "128B" });
      const bTiles = sharedMemory.alloc("f16", [STAGES, TILE_N, TILE_K], { swizzle: "128B" });
      const dTiles = sharedMemory.alloc("f16", [CONSUMERS, 2, 64, 64], { swizzle: "128B" });
      const ring = new Pipeline({ stages: STAGES, consumers: CONSUMERS * WARPS, peers: CLUSTER });
      ring.init();
      const tiles = new TileScheduler([M / TILE_M, N / TILE_N], { mode: "persistent", group: 16 });

      warpgroup.specialize({
        producer: { registers: 40, run: () => {
          if (!warpgroup.elect()) return;
          const half = TILE_N / CLUSTER, mine = cluster.rank * half;
          let put = ring.producer();
          for (const { m, n } of tiles) {
            for (const k of range(K / TILE_K)) {
              const s = put.index, bar = put.acquire(aTiles.at(0).bytes + bTiles.at(0).bytes);
              a.load(aTiles.at(s), bar, [k * TILE_K, m * TILE_M]);
              b.load(bTiles.at(s).subview([mine, 0], [half, TILE_K]), bar, [k * TILE_K, n * TILE_N + mine], { multicast: 0b11 });
              put = put.next();
            }
          }
          put.drain();                                   // the peer may still release into this block
        } },

        consumer: { warpgroups: CONSUMERS, registers: 232, run: (wg) => {
          const A = WGMMAMatrix.descriptor(aTiles.subview([0, wg * 64, 0], [STAGES, 64, TILE_K]), [64, TILE_K]);
          const B = WGMMAMatrix.descriptor(bTiles.transpose(0, 2, 1), [TILE_K, TILE_N]);
          const out = dTiles.at(wg), mine = namedBarrier(1 + wg, 128), leader = warpgroup.thread === 0;
          const first = warpgroup.thread % 32 === 0;       // each warp says that its own products are done
          const finish = epilogue(bias);
          let get = ring.consumer(), previous = get;
          for (const { m, n } of tiles) {
            let D = WGMMAMatrix.accumulator("f32", [64, TILE_N]);
            for (const k of range(K / TILE_K)) {
              get.wait();
              D = D.mma(A.at(get.index), B.at(get.index), { accumulate: k > 0, wait: 1 });
              previous.release({ pred: first && k > 0 });
              previous = get;
              get = get.next();
            }
            wgmma.wait(0);
            previous.release({ pred: first });

            const row = m * TILE_M + wg * 64, col = n * TILE_N;
            for (const c0 of staticRange(0, TILE_N, 64)) { // by panels of 64 columns, through two buffers
              const panel = out.at((c0 / 64) % 2);
              if (leader) tma.wait(1, { read: true });   // the panel before the last has left its buffer
              mine.sync();
              D.columns(c0, 64).map((v, r, c) => finish(v, row + r, col + c0 + c)).convert("f16").store(panel);
              fence.proxyAsync();
              mine.sync();
              if (leader) {
                d.store(panel, [col + c0, row]);
                tma.commit();
              }
            }
          }
          if (leader) tma.wait(0);
        } },
      });
    });
}

export const biasRelu = helper((bias: Tensor<"f32", 1>): Epilogue => (v, _row, col) => Math.max(v + bias[col], 0));
