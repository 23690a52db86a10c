// The producer's first wait for an empty stage has the consumer's parity: it waits for a release of what nobody has filled yet.
import { fence, kernel, Mbarriers, range, sharedMemory, syncThreads, type Tensor, type TMA, threadIdx, warp } from "warpsmith";
import { input, mapOf, output } from "../../cases/case.ts";
import { count } from "../../hazards/parts.ts";
import { hang } from "../hang.ts";

const columnSums = kernel({ block: 64, grid: 1 }, function columnSums(x: TMA<"i32", 2>, out: Tensor<"i32", 1>) {
  const row = sharedMemory.alloc("i32", [1, 32], { align: 128 });
  const full = new Mbarriers(1).at(0);
  const empty = new Mbarriers(1).at(0);
  if (threadIdx.x === 0) {
    full.init(1);
    empty.init(32);
    fence.mbarrierInit();
  }
  syncThreads();
  if (warp.index === 0) {
    if (warp.lane === 0)
      for (const r of range(x.shape[0])) {
        empty.wait(r & 1); // hangs
        full.arrive({ tx: row.bytes });
        x.load(row, full, [0, r]);
      }
  } else {
    let total = 0;
    for (const r of range(x.shape[0])) {
      full.wait(r & 1); // hangs
      total += row[0]![warp.lane]!;
      fence.proxyAsync();
      empty.arrive();
    }
    out[warp.lane] = total;
  }
});

export const wrongParity = hang({
  name: "wrong-parity",
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
  finds: [/mbarrier empty at/],
});
