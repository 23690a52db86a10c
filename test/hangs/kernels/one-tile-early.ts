// The producer's loop is over the whole stages of K, the consumer's over all of it: 100 columns are 4 stages, not 3.
import { cdiv, fence, kernel, Pipeline, range, sharedMemory, syncWarp, type Tensor, type TMA, warp } from "warpsmith";
import { input, mapOf, output } from "../../cases/case.ts";
import { hang } from "../hang.ts";

const rowSums = kernel({ block: 64, grid: 1 }, function rowSums(x: TMA<"i32", 2>, out: Tensor<"i32", 1>) {
  const [, columns] = x.shape;
  const tiles = sharedMemory.alloc("i32", [2, 32, 32], { align: 128 });
  const ring = new Pipeline({ stages: 2, consumers: 32 });
  ring.init();
  if (warp.index === 0) {
    let put = ring.producer();
    if (warp.lane === 0)
      for (const k of range(Math.floor(columns / 32))) {
        x.load(tiles.at(put.index), put.acquire(tiles.at(0).bytes), [32 * k, 0]);
        put = put.next();
      }
  } else {
    let get = ring.consumer();
    let total = 0;
    for (const _ of range(cdiv(columns, 32))) {
      get.wait(); // hangs
      for (const c of range(32)) total += tiles[get.index]![warp.lane]![(c + warp.lane) & 31]!;
      fence.proxyAsync();
      syncWarp();
      get.release();
      get = get.next();
    }
    out[warp.lane] = total;
  }
});

const ones = new Array<number>(3200).fill(1);

export const oneTileEarly = hang({
  name: "one-tile-early",
  file: import.meta.filename,
  kernel: rowSums,
  args: [mapOf(input("i32", [32, 100], ones), { box: [32, 32] }), output("i32", [32], new Array<number>(32).fill(100))],
  says: [/mbarrier/, /1 of 1 arrival/],
  finds: [/mbarrier ring\.full\[1\] at/],
});
