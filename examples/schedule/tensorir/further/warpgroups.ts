import { type BlockRef, type LoopRef, Schedule } from "warpsmith/schedule";
import { matmulOf } from "../matmul.ts";

/** Rows of a tile, which one warpgroup multiplies, and summands at a time: 64 of f16 are the 128 bytes that a swizzle permutes. */
const rows = 64, summands = 64;

/** A schedule with a block for each tile of 64 rows, and what the steps go on with. */
interface Started {
  readonly sch: Schedule;
  /** The loop over blocks of the launch, and that over K. */
  readonly tiles: LoopRef;
  readonly trips: LoopRef;
  /** What copies X and Y to shared memory, and what stores the sums. */
  readonly copies: readonly [x: BlockRef, y: BlockRef];
  readonly store: BlockRef;
}

/** Each block of the launch makes 64 rows of Z and so many columns; one product of a warpgroup takes all of that for 64 of K, out of shared memory. */
function start(n: number, columns: number, { versions = 1, order = 1 } = {}): Started {
  const sch = new Schedule(matmulOf(n));
  const product = sch.getBlock("matmul");
  const [i, j, k] = sch.getLoops(product);
  const [i0, i1] = sch.split(i, [null, rows]);
  const [j0, j1] = sch.split(j, [null, columns]);
  const [trips, k1] = sch.split(k, [null, summands]);
  sch.reorder(i0, j0, trips, i1, j1, k1);
  const tiles = sch.fuse(i0, j0);
  if (order > 1) sch.swizzleBlocks(tiles, n / columns, order);
  sch.bind(tiles, "blockIdx.x");

  const store = sch.cacheWrite(product, "Z", "wgmma.accumulator", tiles);
  const copies = ["X", "Y"].map((operand) => {
    const copy = sch.cacheRead(product, operand, "shared");
    sch.computeAt(copy, trips);
    sch.storageSwizzle(copy.name, "128B");
    if (versions > 1) sch.multiBuffer(copy.name, trips, versions);
    return copy;
  });
  const [zero, add] = sch.decomposeReduction(product, trips);
  sch.tensorize(nest(sch, zero, 2), `wgmma_fill_${columns}`);
  sch.tensorize(nest(sch, add, 3), `wgmma_sync_${columns}`);
  return { sch, tiles, trips, copies: [copies[0], copies[1]], store };
}

/** The innermost loops of a block: the outermost of so many. */
const nest = (sch: Schedule, block: BlockRef, loops: number): LoopRef => sch.getLoops(block).at(-loops) as LoopRef;

/** 13. The four warps copy for themselves, `ahead` trips before the product. */
export function products(n: number, columns: number, ahead: number): Schedule {
  const { sch, trips, copies, store } = start(n, columns, { versions: ahead + 1 });
  for (const copy of copies) {
    const [row, column] = sch.getLoops(copy).slice(-2);
    const [iterations, warps, lanes, elements] = sch.split(sch.fuse(row, column), [null, 4, 32, 8]);
    sch.unroll(iterations);
    sch.bind(warps, "threadIdx.y");
    sch.bind(lanes, "threadIdx.x");
    sch.vectorize(elements);
    sch.annotate(copy, { async: true });
  }
  sch.tensorize(nest(sch, store, 2), `wgmma_store_${columns}`);
  sch.pipeline(trips, { stages: [0, 0, ahead], order: [1, 2, 0], epilogue: "predicated" });
  return sch;
}

/** What steps 15 to 18 change. */
export interface Roles {
  /** Trips whose tiles are in shared memory at a time. */
  readonly stages: number;
  /** Products that may still run when the next ones begin. */
  readonly wait: 0 | 1;
  /** Who has TMA store Z; "threads" store it themselves. */
  readonly stores: "threads" | "warpgroup" | "warp";
  /** Rows of tiles that blocks take at a time. */
  readonly order: number;
}

/** 14. A second warpgroup copies, by TMA: one instruction of one thread brings a tile. */
export function copiesByTma(n: number, columns: number, { stages, wait, stores, order }: Roles): Schedule {
  const { sch, trips, copies, store } = start(n, columns, { order });
  const [x, y] = copies;
  sch.tensorize(nest(sch, x, 2), `tma_load_f16_${rows}x${summands}_128B`);
  sch.tensorize(nest(sch, y, 2), `tma_load_f16_${columns}x${summands}_128B`);
  sch.tensorize(nest(sch, store, 2), stores === "threads" ? `wgmma_store_${columns}` : `tma_store_f32_${rows}x${columns}_${stores}`);
  sch.warpSpecialize(trips, { stages, wait });
  return sch;
}
