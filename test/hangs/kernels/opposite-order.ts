// Two warpgroups each pass a half on to the other, but each waits before it gives.
import { fence, kernel, Mbarriers, sharedMemory, syncThreads, type Tensor, threadIdx, warpgroup } from "warpsmith";
import { output } from "../../cases/case.ts";
import { count } from "../../hazards/parts.ts";
import { hang } from "../hang.ts";

const swap = kernel({ block: 256, grid: 1 }, function swap(out: Tensor<"i32", 1>) {
  const halves = sharedMemory.alloc("i32", [2, 128]);
  const given = new Mbarriers(2);
  if (threadIdx.x === 0) {
    given.at(0).init(128);
    given.at(1).init(128);
    fence.mbarrierInit();
  }
  syncThreads();
  const t = warpgroup.thread;
  warpgroup.specialize({
    left: {
      run: () => {
        halves[0]![t] = t;
        given.at(1).wait(false); // hangs
        given.at(0).arrive();
        out[t] = halves[1]![t]!;
      },
    },
    right: {
      run: () => {
        halves[1]![t] = 128 + t;
        given.at(0).wait(false); // hangs
        given.at(1).arrive();
        out[128 + t] = halves[0]![t]!;
      },
    },
  });
});

export const oppositeOrder = hang({
  name: "opposite-order",
  file: import.meta.filename,
  kernel: swap,
  args: [
    output(
      "i32",
      [256],
      count(256).map((i) => i ^ 128),
    ),
  ],
  says: [/mbarrier/, /128 of 128 arrivals/],
  finds: [/mbarrier given\[[01]\] at/],
});
