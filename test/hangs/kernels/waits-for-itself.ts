// One warp fills and empties the ring. It wants to be three stages ahead, and the ring has two.
import { fence, kernel, Pipeline, range, sharedMemory, staticRange, syncWarp, type Tensor, type TMA, warp } from "warpsmith";
import { input, mapOf, output } from "../../cases/case.ts";
import { count } from "../../hazards/parts.ts";
import { hang } from "../hang.ts";

const ahead = 3;

const columnSums = kernel({ block: 32, grid: 2 }, function columnSums(x: TMA<"i32", 2>, out: Tensor<"i32", 1>) {
  const [rows] = x.shape;
  const tiles = sharedMemory.alloc("i32", [2, 1, 32], { align: 128 });
  const ring = new Pipeline({ stages: 2, consumers: 32 });
  ring.init();
  let put = ring.producer();
  let get = ring.consumer();
  let total = 0;
  for (const r of staticRange(ahead)) {
    if (warp.lane === 0) x.load(tiles.at(put.index), put.acquire(tiles.at(0).bytes), [0, r]); // hangs
    put = put.next();
  }
  for (const r of range(rows)) {
    get.wait();
    total += tiles[get.index]![0]![warp.lane]!;
    fence.proxyAsync();
    syncWarp();
    get.release();
    get = get.next();
    if (warp.lane === 0 && r + ahead < rows) x.load(tiles.at(put.index), put.acquire(tiles.at(0).bytes), [0, r + ahead]);
    put = put.next();
  }
  out[warp.lane] = total;
});

export const waitsForItself = hang({
  name: "waits-for-itself",
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
  says: [/mbarrier/, /32 of 32 arrivals/],
  finds: [/mbarrier ring\.empty\[0\] at/],
});
