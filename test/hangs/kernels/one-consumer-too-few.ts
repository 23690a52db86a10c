// A ring for two consumers, of which one was taken out: no stage is ever empty again.
import { fence, kernel, Pipeline, range, sharedMemory, syncWarp, type Tensor, type TMA, warp } from "warpsmith";
import { input, mapOf, output } from "../../cases/case.ts";
import { count } from "../../hazards/parts.ts";
import { hang } from "../hang.ts";

const columnSums = kernel({ block: 64, grid: 2 }, function columnSums(x: TMA<"i32", 2>, out: Tensor<"i32", 1>) {
  const tiles = sharedMemory.alloc("i32", [2, 1, 32], { align: 128 });
  const ring = new Pipeline({ stages: 2, consumers: 2 });
  ring.init();
  if (warp.index === 0) {
    let put = ring.producer();
    if (warp.lane === 0)
      for (const r of range(x.shape[0])) {
        const bar = put.acquire(tiles.at(0).bytes); // hangs
        x.load(tiles.at(put.index), bar, [0, r]);
        put = put.next();
      }
  } else {
    let get = ring.consumer();
    let total = 0;
    for (const _ of range(x.shape[0])) {
      get.wait(); // hangs
      total += tiles[get.index]![0]![warp.lane]!;
      fence.proxyAsync();
      syncWarp();
      get.release({ pred: warp.lane === 0 });
      get = get.next();
    }
    out[warp.lane] = total;
  }
});

export const oneConsumerTooFew = hang({
  name: "one-consumer-too-few",
  file: import.meta.filename,
  kernel: columnSums,
  args: [
    mapOf(input("i32", [8, 32], count(256)), { box: [1, 32] }),
    output(
      "i32",
      [32],
      count(32).map((c) => 8 * c + 32 * 28),
    ),
  ],
  says: [/mbarrier/, /1 of 2 arrivals/],
  finds: [/mbarrier ring\.empty\[\d\] at/],
});
