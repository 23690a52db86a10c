// Two producers took turns at the tiles of their block. One was taken out, and the other still takes every second.
import { fence, kernel, Pipeline, sharedMemory, syncWarp, type Tensor, TileScheduler, type TMA, warp } from "warpsmith";
import { input, mapOf, output } from "../../cases/case.ts";
import { count } from "../../hazards/parts.ts";
import { hang } from "../hang.ts";

const tileSums = kernel({ block: 64, grid: 2 }, function tileSums(x: TMA<"i32", 2>, out: Tensor<"i32", 2>) {
  const shape = [x.shape[0] / 8, x.shape[1] / 32] as const;
  const tiles = sharedMemory.alloc("i32", [2, 8, 32], { align: 128 });
  const ring = new Pipeline({ stages: 2 });
  ring.init();
  if (warp.index === 0) {
    let put = ring.producer();
    for (const { m, n } of new TileScheduler(shape, { mode: "persistent", every: 2 })) {
      if (warp.lane === 0) x.load(tiles.at(put.index), put.acquire(tiles.at(0).bytes), [32 * n, 8 * m]);
      put = put.next();
    }
  } else {
    let get = ring.consumer();
    for (const { m, n } of new TileScheduler(shape, { mode: "persistent" })) {
      get.wait(); // hangs
      let sum = 0;
      for (const r of [0, 1, 2, 3, 4, 5, 6, 7]) sum += tiles[get.index]![r]![warp.lane]!;
      out[m]![32 * n + warp.lane] = sum;
      fence.proxyAsync();
      syncWarp();
      get.release({ pred: warp.lane === 0 });
      get = get.next();
    }
  }
});

const rows = 32;
const columns = 64;

export const tilesOutOfStep = hang({
  name: "tiles-out-of-step",
  file: import.meta.filename,
  kernel: tileSums,
  args: [
    mapOf(input("i32", [rows, columns], count(rows * columns)), { box: [8, 32] }),
    output("i32", [rows / 8, columns], count((rows / 8) * columns)),
  ],
  says: [/mbarrier/, /1 of 1 arrival/],
  finds: [/mbarrier ring\.full\[\d\] at/],
});
