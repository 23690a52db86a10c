// Chapter 3. One 128 x 128 x 64 product on the tensor cores of one warpgroup.
import {
  type Compiled,
  fence,
  kernel,
  Mbarriers,
  sharedMemory,
  syncThreads,
  type Tensor,
  TMA,
  tensorSpec,
  threadIdx,
  WGMMAMatrix,
  wgmma,
} from "warpsmith";

const M = 128,
  N = 128,
  K = 64;

const gemm = kernel({ block: 128, grid: 1 }, function gemm(a: TMA<"f16", 2>, b: TMA<"f16", 2>, d: Tensor<"f32", 2>) {
  const aTile = sharedMemory.alloc("f16", [M, K], { swizzle: "128B" });
  const bTile = sharedMemory.alloc("f16", [K, N], { swizzle: "128B" }); // two panels of 64 columns
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
    b.load(bTile, loaded, [0, 0]); // both boxes
  }
  loaded.wait(false);

  const A = WGMMAMatrix.descriptor(aTile, [M, K]);
  const B = WGMMAMatrix.descriptor(bTile, [K, N]);
  let D = WGMMAMatrix.accumulator("f32", [M, N]);
  D = D.mma(A, B); // D += A @ B
  wgmma.wait(0);
  D.store(d);
});

const aMap = new TMA(tensorSpec("f16", [M, K]), { box: [128, 64], swizzle: "128B" });
const bMap = new TMA(tensorSpec("f16", [K, N]), { box: [64, 64], swizzle: "128B" });

/** What the host would pass. */
export const compiled = (): readonly Compiled[] => [gemm.compile(aMap, bMap, tensorSpec("f32", [M, N]))];
