// One warp fills a buffer for the others, and forgets to say so.
import { fence, kernel, Mbarriers, sharedMemory, syncThreads, type Tensor, threadIdx, warp } from "warpsmith";
import { input, output } from "../../cases/case.ts";
import { count } from "../../hazards/parts.ts";
import { hang } from "../hang.ts";

const gather = kernel({ block: 128, grid: 2 }, function gather(table: Tensor<"i32", 1>, out: Tensor<"i32", 1>) {
  const cells = sharedMemory.alloc("i32", [32]);
  const ready = new Mbarriers(1).at(0);
  if (threadIdx.x === 0) {
    ready.init(32);
    fence.mbarrierInit();
  }
  syncThreads();
  if (warp.index === 0) {
    cells[warp.lane] = table[warp.lane]!;
    // ready.arrive() is missing.
  } else {
    ready.wait(false); // hangs
    out[threadIdx.x] = cells[warp.lane]!;
  }
});

export const missingArrive = hang({
  name: "missing-arrive",
  file: import.meta.filename,
  kernel: gather,
  args: [input("i32", [32], count(32)), output("i32", [128], count(128))],
  says: [/mbarrier/, /32 of 32 arrivals/],
  finds: [/mbarrier ready at/],
});
