import {
  assert, blockIdx, fence, kernel, Mbarriers, range, type Static, sharedMemory, staticRange, syncThreads, type Tensor, TMA, threadIdx,
  WGMMAMatrix, warpgroup, wgmma,
} from "warpsmith";

export const TILE_M = 128, TILE_N = 128, TILE_K = 64;
const WARPS = 4;                                       // of a warpgroup

/**
 * D = A @ B, a tile of 128 x 128 for each block. One warpgroup only loads, the other only multiplies; two arrays of mbarriers
 * pass the stages between them.
 */
export const gemmWarpSpecialized = kernel(
  { block: 256, grid: (_a, _b, d) => [d.shape[0] / TILE_M, d.shape[1] / TILE_N] },
  function gemmWarpSpecialized(a: TMA<"f16", 2>, b: TMA<"f16", 2>, d: Tensor<"f32", 2>, stages: Static<number>) {
    const tiles = tilesAlongK(a, b, d);
    const aTiles = sharedMemory.alloc("f16", [stages, TILE_M, TILE_K], { swizzle: "128B" });
    const bTiles = sharedMemory.alloc("f16", [stages, TILE_K, TILE_N], { swizzle: "128B" });
    const full = new Mbarriers(stages), empty = new Mbarriers(stages);
    if (threadIdx.x === 0) {
      for (const s of staticRange(stages)) {
        full.at(s).init(1);                            // the producer's arrival, and the bytes
        empty.at(s).init(WARPS);                       // every warp of the consumer says that it is done
      }
      fence.mbarrierInit();
      a.prefetch();
      b.prefetch();
    }
    syncThreads();

    warpgroup.specialize({
      producer: { registers: 40, run: () => {
        let phase = true;                              // a new stage is empty: the first round does not wait
        for (const k of range(tiles)) {
          const s = k % stages;
          if (warpgroup.thread === 0) {                // nobody else waits: who falls two rounds behind would wait for ever
            empty.at(s).wait(phase);
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
        const first = warpgroup.thread % 32 === 0;     // one thread of each warp
        const behind = stages === 1 ? 0 : 1;           // hand back the stage before this one; a lone stage at once
        let D = WGMMAMatrix.accumulator("f32", [TILE_M, TILE_N]);
        let phase = false;
        for (const k of range(tiles)) {
          const s = k % stages;
          full.at(s).wait(phase);
          D = D.mma(A.at(s), B.at(s), { wait: behind });             // this warp's part of an earlier product is done:
          if (k >= behind && first) empty.at((k - behind) % stages).arrive();   // its stage may be filled again
          if (s === stages - 1) phase = !phase;
        }
        wgmma.wait(0);
        D.store(d.subview([blockIdx.x * TILE_M, blockIdx.y * TILE_N], [TILE_M, TILE_N]));
      } },
    });
  },
);

/** How many tiles lie along K. The shapes have to agree: D is [M, N], A is [M, K], B is [K, N]. */
function tilesAlongK(a: TMA<"f16", 2>, b: TMA<"f16", 2>, d: Tensor<"f32", 2>): number {
  "use kernel";
  const [M, K] = a.shape, N = b.shape[1], [ofA, ofB] = [a.shape.join(", "), b.shape.join(", ")];
  assert(b.shape[0] === K, `A is [${ofA}] and B [${ofB}]: K is ${K} in A, and ${b.shape[0]} in B`);
  assert(d.shape[0] === M && d.shape[1] === N, `A is [${ofA}] and B [${ofB}]: D is [${M}, ${N}], not [${d.shape.join(", ")}]`);
  return K / TILE_K;
}
