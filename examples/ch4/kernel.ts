import {
  type Accumulator, assert, blockIdx, fence, kernel, Mbarriers, range, type SharedView, type Static, sharedMemory, staticRange, syncThreads,
  type Tensor, TMA, threadIdx, WGMMAMatrix, wgmma,
} from "warpsmith";

export const TILE_M = 128, TILE_N = 128, TILE_K = 64;

type Tiles = SharedView<"f16", 3>;                     // [stages, rows, columns]

function initialize(a: TMA, b: TMA, stages: number) {
  "use kernel";
  const bars = new Mbarriers(stages);
  if (threadIdx.x === 0) {
    for (const i of staticRange(stages)) bars.at(i).init(1);
    fence.mbarrierInit();
    a.prefetch();
    b.prefetch();
  }
  syncThreads();
  return bars;
}

/** Brings tile `k` of A and B into `stage`, where `pred`. */
function loadStage(a: TMA<"f16", 2>, b: TMA<"f16", 2>, aTiles: Tiles, bTiles: Tiles, bars: Mbarriers, stage: number, k: number, pred: boolean) {
  "use kernel";
  const bar = bars.at(stage), aTile = aTiles.at(stage), bTile = bTiles.at(stage);
  bar.arrive({ tx: aTile.bytes + bTile.bytes, pred });
  a.load(aTile, bar, [k * TILE_K, blockIdx.x * TILE_M], { pred });
  b.load(bTile, bar, [blockIdx.y * TILE_N, k * TILE_K], { pred });
}

/** Through shared memory, so that each row leaves in one piece: thread t writes column t. */
function epilogue(D: Accumulator, d: Tensor<"f32", 2>) {
  "use kernel";
  const tile = sharedMemory.dynamic("f32", [TILE_M, TILE_N], { at: 0 });
  const out = d.subview([blockIdx.x * TILE_M, blockIdx.y * TILE_N], [TILE_M, TILE_N]);
  syncThreads();                                       // every warp's products are done with the stages beneath
  D.store(tile);
  syncThreads();
  for (const row of range(TILE_M)) out[row][threadIdx.x] = tile[row][threadIdx.x];
}

/** D = A @ B, a tile of 128 x 128 for each block. Loads run `stages - 1` tiles ahead of the tensor cores. */
export const gemmMultistage = kernel(
  {
    block: 128,
    grid: (_a, _b, d) => [d.shape[0] / TILE_M, d.shape[1] / TILE_N],
    smem: (a, b, _d, stages) => Math.max(stages * (a.bytes + 2 * b.bytes), TILE_M * TILE_N * 4),
  },
  function gemmMultistage(a: TMA<"f16", 2>, b: TMA<"f16", 2>, d: Tensor<"f32", 2>, stages: Static<number>) {
    const tiles = tilesAlongK(a, b, d);                // static: a kernel is compiled for its shapes
    const aTiles = sharedMemory.dynamic("f16", [stages, TILE_M, TILE_K], { at: 0, swizzle: "128B" });
    const bTiles = sharedMemory.dynamic("f16", [stages, TILE_K, TILE_N], { at: aTiles.bytes, swizzle: "128B" });
    const bars = initialize(a, b, stages);
    const ahead = stages === 1 ? 1 : stages - 1;
    for (const k of staticRange(Math.min(ahead, tiles))) loadStage(a, b, aTiles, bTiles, bars, k, k, threadIdx.x === 0);

    const A = WGMMAMatrix.descriptor(aTiles, [TILE_M, TILE_K]);
    const B = WGMMAMatrix.descriptor(bTiles, [TILE_K, TILE_N]);
    let D = WGMMAMatrix.accumulator("f32", [TILE_M, TILE_N]);
    let phase = false;
    for (const k of range(tiles)) {                    // a loop on the GPU; D and phase are carried
      const stage = k % stages;
      bars.at(stage).wait(phase);
      D = D.mma(A.at(stage), B.at(stage));             // D += A @ B
      wgmma.wait(stages === 1 ? 0 : 1);                // the previous product is done with its stage …
      syncThreads();                                   // … in every warp
      const next = k + ahead;
      loadStage(a, b, aTiles, bTiles, bars, next % stages, next, threadIdx.x === 0 && next < tiles);
      if (stage === stages - 1) phase = !phase;
    }
    wgmma.wait(0);
    epilogue(D, d);
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
