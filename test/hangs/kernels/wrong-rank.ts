// Every block should tell block 0 that it is done, and tells itself.
import { cluster, fence, kernel, Mbarriers, type Tensor, threadIdx } from "warpsmith";
import { output } from "../../cases/case.ts";
import { hang } from "../hang.ts";

const collect = kernel({ block: 32, grid: 4, cluster: 4 }, function collect(counts: Tensor<"i32", 1>) {
  const done = new Mbarriers(1).at(0);
  if (threadIdx.x === 0) {
    done.init(cluster.size);
    fence.mbarrierInit();
  }
  cluster.sync();
  counts.at(0).reduce("add", 1);
  if (threadIdx.x === 0) done.arrive({ rank: cluster.rank });
  if (cluster.rank === 0) {
    done.wait(false); // hangs
    if (threadIdx.x === 0) counts[1] = counts[0]!;
  }
  cluster.sync(); // hangs
});

export const wrongRank = hang({
  name: "wrong-rank",
  file: import.meta.filename,
  kernel: collect,
  args: [output("i32", [2], [128, 128], { initial: [0, 0] })],
  says: [/mbarrier/, /3 of 4 arrivals/, /cluster/],
  finds: [/mbarrier done at/],
});
