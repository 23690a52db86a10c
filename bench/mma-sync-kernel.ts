// The best product by mma.sync that we know to write: what schedules over mma.sync and WMMA are measured against. No wgmma, no TMA.
import {
  asyncCopy,
  BlockedLayout,
  blockIdx,
  DotOperandLayout,
  f16,
  f32,
  i32,
  kernel,
  MMALayout,
  range,
  type SharedView,
  type Static,
  type Swizzle,
  sharedMemory,
  syncThreads,
  type Tensor,
  TileScheduler,
  tile,
} from "warpsmith";

/** How the product is cut, and what comes when. */
export interface MmaPlan {
  /** The tile of a block, M × N × K: powers of two. */
  readonly tile: readonly [m: number, n: number, k: number];
  /** How many warps share the tile along M and along N. */
  readonly warps: readonly [m: number, n: number];
  /** Tiles of A and B in shared memory. */
  readonly stages: number;
  /** What the products are summed in. */
  readonly sum: "f16" | "f32";
  /** Tiles along M before N moves on, for the L2 cache. */
  readonly group: number;
  /** Whether each step of 16 along K begins with the loads of the next one's fragments. */
  readonly ahead: boolean;
  /** Whether the copies of a tile are spread over the steps along K, instead of all standing before the first one. */
  readonly spread: boolean;
  /** Whether results go through shared memory, so that each thread stores 16 bytes. */
  readonly staged: boolean;
}

export const mmaThreads = ({ warps }: MmaPlan): number => 32 * warps[0] * warps[1];

export const mmaPlanName = ({ tile: [m, n, k], warps, stages, group, ahead, spread, staged }: MmaPlan): string =>
  [
    `${m}x${n}x${k}`,
    warps.join("x"),
    `s${stages}`,
    `g${group}`,
    ahead ? "ahead" : "inline",
    spread ? "spread" : "first",
    staged ? "staged" : "direct",
  ].join(" ");

/** What the stages take, or the results after them where those go through shared memory. */
function mmaSharedBytes({ tile: [m, n, k], stages, staged }: MmaPlan, bytes: number): number {
  return Math.max(2 * stages * k * (m + n), staged ? m * n * bytes : 0);
}

const swizzleOf = (columns: number): Swizzle => (columns >= 64 ? "128B" : columns === 32 ? "64B" : "32B");

/** Copies part `part` of `parts` of the rows of a tile. */
function copyRows(dst: SharedView<"f16", 2>, src: Tensor<"f16", 2>, part: number, parts: number) {
  "use kernel";
  const rows = dst.shape[0] / parts;
  asyncCopy.load(dst.subview([part * rows, 0], [rows, dst.shape[1]]), src.subview([part * rows, 0], [rows, dst.shape[1]]), {
    mask: false,
    cache: "cg",
  });
}

/**
 * D [M, N] = A [M, K] @ B [K, N], all by rows. M, N and K are multiples of the tile, K of at least `stages` of them. D is f16 or f32;
 * f32 needs sums in f32.
 */
export const mmaGemm = kernel(
  {
    block: (_a, _b, _d, plan) => mmaThreads(plan),
    grid: (_a, _b, d, plan) => (d.shape[0] / plan.tile[0]) * (d.shape[1] / plan.tile[1]),
    smem: (_a, _b, d, plan) => mmaSharedBytes(plan, d.dtype === "f16" ? 2 : 4),
  },
  function mmaGemm(a: Tensor<"f16", 2>, b: Tensor<"f16", 2>, d: Tensor<"f16" | "f32", 2>, plan: Static<MmaPlan>) {
    const [BM, BN, BK] = plan.tile;
    const { stages } = plan;
    const parent = new MMALayout({ warps: plan.warps });
    const left = new DotOperandLayout({ parent, operand: "A", kWidth: 2 });
    const right = new DotOperandLayout({ parent, operand: "B", kWidth: 2 });
    const aTiles = sharedMemory.dynamic("f16", [stages, BM, BK], { at: 0, swizzle: swizzleOf(BK) });
    const bTiles = sharedMemory.dynamic("f16", [stages, BK, BN], { at: aTiles.bytes, swizzle: swizzleOf(BN) });
    const steps = BK / 16;
    const parts = plan.spread ? steps / 2 : 1;
    const iterations = a.shape[1] / BK;

    const { m, n } = new TileScheduler([d.shape[0] / BM, d.shape[1] / BN], { group: plan.group }).at(blockIdx.x);
    const aRows = a.subview([m * BM, 0], [BM, a.shape[1]]);
    const bColumns = b.subview([0, n * BN], [b.shape[0], BN]);

    for (let s = 0; s < stages - 1; s++) {
      copyRows(aTiles.at(s), aRows.subview([0, s * BK], [BM, BK]), 0, 1);
      copyRows(bTiles.at(s), bColumns.subview([s * BK, 0], [BK, BN]), 0, 1);
      asyncCopy.commit();
    }
    asyncCopy.wait(stages - 2);
    syncThreads();

    let D = tile.full([BM, BN], plan.sum === "f16" ? f16(0) : f32(0), parent);
    let A = aTiles.at(0).subview([0, 0], [BM, 16]).load(left);
    let B = bTiles.at(0).subview([0, 0], [16, BN]).load(right);
    let read = i32(0),
      write = i32(stages - 1);

    // The last iterations, which find nothing more to copy, are a loop of their own: no step of the others asks.
    for (const copying of [true, false]) {
      const [first, end] = copying ? [0, iterations - (stages - 1)] : [iterations - (stages - 1), iterations];
      for (const i of range(first, end)) {
        const k = (i + stages - 1) * BK;
        let next = read + 1;
        if (next === stages) next = 0;
        for (let step = 0; step < steps; step++) {
          const last = step === steps - 1;
          // The stage that this iteration fills was read for the last time before the barrier of the one before.
          if (copying && step < parts) {
            copyRows(aTiles.at(write), aRows.subview([0, k], [BM, BK]), step, parts);
            copyRows(bTiles.at(write), bColumns.subview([k, 0], [BK, BN]), step, parts);
          }
          if (!plan.ahead) D = tile.dot(A, B, D);
          if (last) {
            asyncCopy.commit();
            asyncCopy.wait(stages - 2);
            syncThreads();
          }
          const from = last ? next : read,
            at = last ? 0 : (step + 1) * 16;
          const nextA = aTiles.at(from).subview([0, at], [BM, 16]).load(left);
          const nextB = bTiles.at(from).subview([at, 0], [16, BN]).load(right);
          if (plan.ahead) D = tile.dot(A, B, D);
          A = nextA;
          B = nextB;
        }
        write = read;
        read = next;
      }
    }

    const result = d.dtype === "f16" && plan.sum === "f32" ? f16(D) : D;
    if (!plan.staged) {
      d.storeTile([m * BM, n * BN], result as never);
      return;
    }
    const bytes = d.dtype === "f16" ? 2 : 4;
    const room = sharedMemory.dynamic(d.dtype, [BM, BN], { at: 0, swizzle: "128B" });
    const threads = mmaThreads(plan);
    const vector = 16 / bytes;
    const lines = new BlockedLayout({
      perThread: [1, vector],
      threads: [Math.max(1, (32 * vector) / BN), Math.min(32, BN / vector)],
      warps: [threads / 32, 1],
    });
    asyncCopy.wait(0);
    syncThreads();
    room.store(result as never);
    syncThreads();
    d.storeTile([m * BM, n * BN], room.load(lines) as never);
  },
);
