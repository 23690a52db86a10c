// The consumer has found what it looks for and leaves its loop; the producer still waits for an empty stage.
import { fence, kernel, Pipeline, range, sharedMemory, syncWarp, type Tensor, type TMA, warp } from "warpsmith";
import { input, mapOf, output } from "../../cases/case.ts";
import { count } from "../../hazards/parts.ts";
import { hang } from "../hang.ts";

const find = kernel({ block: 64, grid: 1 }, function find(x: TMA<"i32", 2>, value: Tensor<"i32", 1>, out: Tensor<"i32", 1>) {
  const tiles = sharedMemory.alloc("i32", [3, 1, 32], { align: 128 });
  const ring = new Pipeline({ stages: 3 });
  ring.init();
  const wanted = value[0]!;
  if (warp.index === 0) {
    let put = ring.producer();
    if (warp.lane === 0)
      for (const r of range(x.shape[0])) {
        x.load(tiles.at(put.index), put.acquire(tiles.at(0).bytes), [0, r]); // hangs
        put = put.next();
      }
  } else {
    let get = ring.consumer();
    for (const r of range(x.shape[0])) {
      get.wait();
      const here = warp.ballot(tiles[get.index]![0]![warp.lane]! === wanted);
      if (here !== 0) {
        if (warp.lane === 0) out[0] = r;
        break;
      }
      fence.proxyAsync();
      syncWarp();
      get.release({ pred: warp.lane === 0 });
      get = get.next();
    }
  }
});

export const neverReleased = hang({
  name: "never-released",
  file: import.meta.filename,
  kernel: find,
  args: [mapOf(input("i32", [16, 32], count(512)), { box: [1, 32] }), input("i32", [1], [70]), output("i32", [1], [2])],
  says: [/mbarrier/, /1 of 1 arrival/],
  finds: [/mbarrier ring\.empty\[\d\] at/],
});
