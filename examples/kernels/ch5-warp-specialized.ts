// Chapter 5. One warpgroup only loads, the other only multiplies; two rings of mbarriers pass the stages between them.
import { blockIdx, fence, kernel, Mbarriers, range, sharedMemory, staticRange, syncThreads, threadIdx, TMA, warpgroup, wgmma, WGMMAMatrix, type Static, type Tensor } from "warpsmith";

const K = 1024;
const TILE_M = 128, TILE_N = 128, TILE_K = 64, WARPS = 4;

export const gemmWarpSpecialized = kernel(
  { block: 256 },
  function gemmWarpSpecialized(a: TMA<"f16", 2>, b: TMA<"f16", 2>, d: Tensor<"f32", 2>, stages: Static<number>) {
    const aTiles = sharedMemory.alloc("f16", [stages, TILE_M, TILE_K], { swizzle: "128B" });
    const bTiles = sharedMemory.alloc("f16", [stages, TILE_K, TILE_N], { swizzle: "128B" });
    const full = new Mbarriers(stages), empty = new Mbarriers(stages);
    if (threadIdx.x === 0) {
      for (const s of staticRange(stages)) {
        full.at(s).init(1);
        empty.at(s).init(WARPS);                        // each warp says that its own products are done
      }
      fence.mbarrierInit();
    }
    syncThreads();

    warpgroup.specialize({
      producer: { registers: 40, run: () => {
        let phase = true;                              // a new stage is empty: the first round does not wait
        for (const k of range(K / TILE_K)) {
          const s = k % stages;
          empty.at(s).wait(phase);
          if (warpgroup.thread === 0) {
            full.at(s).arrive({ tx: aTiles.at(s).bytes + bTiles.at(s).bytes });
            a.load(aTiles.at(s), full.at(s), [k * TILE_K, blockIdx.x * TILE_M]);
            b.load(bTiles.at(s), full.at(s), [blockIdx.y * TILE_N, k * TILE_K]);
          }
          if (s === stages - 1) phase = !phase;
        }
      } },
      consumer: { registers: 232, run: () => {
        const A = WGMMAMatrix.descriptor(aTiles, [TILE_M, TILE_K]);
        const B = WGMMAMatrix.descriptor(bTiles, [TILE_K, TILE_N]);
        let D = WGMMAMatrix.accumulator("f32", [TILE_M, TILE_N]);
        let phase = false;
        for (const k of range(K / TILE_K)) {
          const s = k % stages;
          full.at(s).wait(phase);
          D = D.mma(A.at(s), B.at(s), { wait: 1 });    // the product before this one is done: hand its stage back
          if (k > 0 && warpgroup.thread % 32 === 0) empty.at((k - 1) % stages).arrive();
          if (s === stages - 1) phase = !phase;
        }
        wgmma.wait(0);
        D.store(d.subview([blockIdx.x * TILE_M, blockIdx.y * TILE_N], [TILE_M, TILE_N]));
      } },
    });
  });
