import { cluster, fence, type Kernel, kernel, Mbarriers, sharedMemory, type TensorSpec, TMA, threadIdx, tma } from "warpsmith";
import { sameShape } from "../shapes.ts";

const ROWS = 128, COLUMNS = 128, BLOCKS = 2, PART = ROWS / BLOCKS;

type Multicast = Kernel<[src: TMA<"f16", 2>, dst: TMA<"f16", 2>]>;

/** A copy of 128 × 128 by two blocks that both need all of it: each loads half, for both. Each stores the half that the other has loaded. */
export const multicast: Multicast = kernel({ block: 32, cluster: BLOCKS, grid: BLOCKS }, function multicast(src: TMA<"f16", 2>, dst: TMA<"f16", 2>) {
  sameShape(src, dst);
  const tile = sharedMemory.alloc("f16", [ROWS, COLUMNS], { align: 128 });
  const loaded = new Mbarriers(1).at(0), elected = threadIdx.x === 0;
  if (elected) {
    loaded.init(1);
    fence.mbarrierInit();
  }
  cluster.sync();                                      // both barriers are initialised, and both blocks have begun
  if (!elected) return;

  const part = (rank: number) => tile.subview([rank * PART, 0], [PART, COLUMNS]);
  const mine = cluster.rank, other = 1 - mine;
  loaded.arrive({ tx: tile.bytes });                   // from both blocks
  src.load(part(mine), loaded, [0, mine * PART], { multicast: 0b11 });
  loaded.wait(false);
  dst.store(part(other), [0, other * PART]);
  tma.commit();
  tma.wait(0);
});

type Matrix = TensorSpec<"f16", 2>;
const box = [PART, COLUMNS] as const;

export const multicastArgs = (src: Matrix, dst: Matrix) => [new TMA(src, { box }), new TMA(dst, { box })] as const;
