// syncThreads() in a branch that one warp is not in: it waits for the others, and they for it.
import { fence, kernel, Mbarriers, sharedMemory, syncThreads, type Tensor, threadIdx, warp } from "warpsmith";
import { output } from "../../cases/case.ts";
import { count } from "../../hazards/parts.ts";
import { hang } from "../hang.ts";

const epilogue = kernel({ block: 128, grid: 1 }, function epilogue(out: Tensor<"i32", 1>) {
  const cells = sharedMemory.alloc("i32", [96]);
  const stored = new Mbarriers(1).at(0);
  if (threadIdx.x === 0) {
    stored.init(96);
    fence.mbarrierInit();
  }
  syncThreads();
  if (warp.index < 3) {
    cells[threadIdx.x] = threadIdx.x;
    syncThreads(); // hangs
    out[threadIdx.x] = cells[95 - threadIdx.x]!;
    stored.arrive();
  } else {
    stored.wait(false); // hangs
    if (warp.lane === 0) out[96] = 1;
  }
});

export const barrierInARole = hang({
  name: "barrier-in-a-role",
  file: import.meta.filename,
  kernel: epilogue,
  args: [output("i32", [97], [...count(96).toReversed(), 1])],
  says: [/mbarrier/, /96 of 96 arrivals/, /barrier 0|barrier of the block|syncThreads/],
  finds: [/mbarrier stored at/],
});
