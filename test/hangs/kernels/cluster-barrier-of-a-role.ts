// The consumer meets the cluster before it leaves, the producer waits for a stage that is never released again.
import {
  blockIdx,
  cluster,
  fence,
  kernel,
  Pipeline,
  range,
  sharedMemory,
  syncWarp,
  type Tensor,
  type TMA,
  warp,
} from "warpsmith";
import { input, mapOf, output } from "../../cases/case.ts";
import { count } from "../../hazards/parts.ts";
import { hang } from "../hang.ts";

const columnSums = kernel({ block: 64, grid: 4, cluster: 2 }, function columnSums(x: TMA<"i32", 2>, out: Tensor<"i32", 1>) {
  const tiles = sharedMemory.alloc("i32", [2, 1, 32], { align: 128 });
  const ring = new Pipeline({ stages: 2 });
  ring.init();
  if (warp.index === 0) {
    let put = ring.producer();
    if (warp.lane === 0) {
      for (const r of range(x.shape[0])) {
        x.load(tiles.at(put.index), put.acquire(tiles.at(0).bytes), [0, r]);
        put = put.next();
      }
      put.next().wait(); // hangs
    }
    syncWarp();
  } else {
    let get = ring.consumer();
    let total = 0;
    for (const r of range(x.shape[0])) {
      get.wait();
      total += tiles[get.index]![0]![warp.lane]!;
      fence.proxyAsync();
      syncWarp();
      get.release({ pred: warp.lane === 0 && r + 1 < x.shape[0] });
      get = get.next();
    }
    out[32 * blockIdx.x + warp.lane] = total;
  }
  cluster.sync(); // hangs
});

export const clusterBarrierOfARole = hang({
  name: "cluster-barrier-of-a-role",
  file: import.meta.filename,
  kernel: columnSums,
  args: [
    mapOf(input("i32", [8, 32], count(256)), { box: [1, 32] }),
    output(
      "i32",
      [128],
      count(128).map((i) => 8 * (i % 32) + 32 * 28),
    ),
  ],
  says: [/mbarrier/, /1 of 1 arrival/, /cluster/],
  finds: [/mbarrier ring\.empty\[\d\] at/],
});
