// The barrier counts threads, but one thread of each warp arrives.
import { fence, kernel, Mbarriers, sharedMemory, syncThreads, syncWarp, type Tensor, threadIdx, warp } from "warpsmith";
import { output } from "../../cases/case.ts";
import { count } from "../../hazards/parts.ts";
import { hang } from "../hang.ts";

const reverse = kernel({ block: 128, grid: 1 }, function reverse(out: Tensor<"i32", 1>) {
  const cells = sharedMemory.alloc("i32", [128]);
  const bars = new Mbarriers(2);
  const written = bars.at(1);
  if (threadIdx.x === 0) {
    bars.at(0).init(1);
    written.init(128);
    fence.mbarrierInit();
  }
  syncThreads();
  cells[threadIdx.x] = threadIdx.x;
  syncWarp();
  written.arrive({ pred: warp.lane === 0 });
  written.wait(false); // hangs
  out[threadIdx.x] = cells[127 - threadIdx.x]!;
});

export const wrongCount = hang({
  name: "wrong-count",
  file: import.meta.filename,
  kernel: reverse,
  args: [output("i32", [128], count(128).toReversed())],
  says: [/mbarrier/, /124 of 128 arrivals/],
  finds: [/mbarrier bars\[1\] at/],
});
