// A block of the pair has no rows, and leaves before it has arrived at its peer's barrier.
import { blockIdx, cluster, fence, kernel, Mbarriers, sharedMemory, type Tensor, threadIdx } from "warpsmith";
import { input, output } from "../../cases/case.ts";
import { count } from "../../hazards/parts.ts";
import { hang } from "../hang.ts";

const pairs = kernel({ block: 64, grid: 4, cluster: 2 }, function pairs(rows: Tensor<"i32", 1>, out: Tensor<"i32", 1>) {
  const halves = sharedMemory.alloc("i32", [2, 64]);
  const both = new Mbarriers(1).at(0);
  if (threadIdx.x === 0) {
    both.init(2 * 64);
    fence.mbarrierInit();
  }
  cluster.sync();
  if (blockIdx.x >= rows[0]!) return;
  cluster.map(halves, 0)[cluster.rank]![threadIdx.x] = threadIdx.x;
  both.arrive({ rank: 0 });
  if (cluster.rank === 0) {
    both.wait(false); // hangs
    out[64 * cluster.index.x + threadIdx.x] = halves[0]![threadIdx.x]! + halves[1]![threadIdx.x]!;
  }
});

export const peerGone = hang({
  name: "peer-gone",
  file: import.meta.filename,
  kernel: pairs,
  args: [input("i32", [1], [3]), output("i32", [128], count(128))],
  says: [/mbarrier/, /64 of 128 arrivals/],
  finds: [/mbarrier both at/],
});
