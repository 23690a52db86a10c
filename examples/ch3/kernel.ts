import { fence, kernel, Mbarriers, sharedMemory, syncThreads, type Tensor, TMA, threadIdx, WGMMAMatrix, wgmma } from "warpsmith";

export const M = 128, N = 128, K = 64;

/** D = A @ B for one tile: one warpgroup, one product on the tensor cores. */
export const gemm = kernel({ block: 128, grid: 1 }, function gemm(a: TMA<"f16", 2>, b: TMA<"f16", 2>, d: Tensor<"f32", 2>) {
  const aTile = sharedMemory.alloc("f16", [M, K], { swizzle: "128B" });
  const bTile = sharedMemory.alloc("f16", [K, N], { swizzle: "128B" });   // two panels of 64 columns
  const loaded = new Mbarriers(1).at(0);
  const elected = threadIdx.x === 0;

  if (elected) {
    loaded.init(1);
    fence.mbarrierInit();
    a.prefetch();
    b.prefetch();
  }
  syncThreads();

  if (elected) {
    loaded.arrive({ tx: aTile.bytes + bTile.bytes });
    a.load(aTile, loaded, [0, 0]);
    b.load(bTile, loaded, [0, 0]);                                        // both boxes
  }
  loaded.wait(false);

  const A = WGMMAMatrix.descriptor(aTile, [M, K]);
  const B = WGMMAMatrix.descriptor(bTile, [K, N]);
  let D = WGMMAMatrix.accumulator("f32", [M, N]);
  D = D.mma(A, B);                                                        // D += A @ B, started
  wgmma.wait(0);                                                          // … and finished
  D.store(d);
});
