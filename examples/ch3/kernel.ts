import { assert, fence, kernel, Mbarriers, sharedMemory, syncThreads, type Tensor, TMA, threadIdx, WGMMAMatrix, wgmma } from "warpsmith";

export const M = 128, N = 128, K = 64;

/** D = A @ B for one tile: one warpgroup, one product on the tensor cores. */
export const gemm = kernel({ block: 128, grid: 1 }, function gemm(a: TMA<"f16", 2>, b: TMA<"f16", 2>, d: Tensor<"f32", 2>) {
  checkShapes(a, b, d);                                                   // while compiling: a kernel is compiled for its shapes
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

function checkShapes(a: TMA<"f16", 2>, b: TMA<"f16", 2>, d: Tensor<"f32", 2>): void {
  "use kernel";
  const [ofA, ofB, ofD] = [a.shape.join(", "), b.shape.join(", "), d.shape.join(", ")];
  assert(a.shape[1] === b.shape[0], `A is [${ofA}] and B [${ofB}]: K is ${a.shape[1]} in A, and ${b.shape[0]} in B`);
  assert(a.shape[0] === M && a.shape[1] === K && b.shape[1] === N, `A is [${ofA}] and B [${ofB}]: this kernel multiplies [${M}, ${K}] and [${K}, ${N}]`);
  assert(d.shape[0] === M && d.shape[1] === N, `A is [${ofA}] and B [${ofB}]: D is [${M}, ${N}], not [${ofD}]`);
}
