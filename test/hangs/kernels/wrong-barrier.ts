// The copy's barrier is that of its stage, the wait's that of its row: they differ from the third row on.
import { fence, kernel, Mbarriers, range, sharedMemory, syncThreads, type Tensor, threadIdx, tma } from "warpsmith";
import { input, output } from "../../cases/case.ts";
import { count } from "../../hazards/parts.ts";
import { hang } from "../hang.ts";

const stages = 2;

const columnSums = kernel({ block: 64, grid: 1 }, function columnSums(x: Tensor<"i32", 2>, out: Tensor<"i32", 1>) {
  const rows = sharedMemory.alloc("i32", [stages, 64], { align: 128 });
  const landed = new Mbarriers(x.shape[0]);
  if (threadIdx.x === 0) {
    for (const i of range(x.shape[0])) landed.at(i).init(1);
    fence.mbarrierInit();
  }
  syncThreads();
  let total = 0;
  for (const r of range(x.shape[0])) {
    const stage = r % stages;
    if (threadIdx.x === 0) {
      landed.at(stage).arrive({ tx: rows.at(stage).bytes });
      tma.bulkLoad(rows.at(stage), x.at(r), landed.at(stage));
    }
    landed.at(r).wait(false); // hangs
    total += rows[stage]![threadIdx.x]!;
    fence.proxyAsync();
    syncThreads();
  }
  out[threadIdx.x] = total;
});

export const wrongBarrier = hang({
  name: "wrong-barrier",
  file: import.meta.filename,
  kernel: columnSums,
  args: [
    input("i32", [4, 64], count(256)),
    output(
      "i32",
      [64],
      count(64).map((c) => 4 * c + 64 * 6),
    ),
  ],
  says: [/mbarrier/, /1 of 1 arrival/],
  finds: [/mbarrier landed\[2\] at/],
});
