// A copy is given a barrier that nobody arrives at: the author takes the copy for the arrival.
import { fence, kernel, Mbarriers, sharedMemory, syncThreads, type Tensor, type TMA, threadIdx } from "warpsmith";
import { input, mapOf, output } from "../../cases/case.ts";
import { count } from "../../hazards/parts.ts";
import { hang } from "../hang.ts";

const copy = kernel({ block: 128, grid: 1 }, function copy(x: TMA<"i32", 2>, out: Tensor<"i32", 1>) {
  const row = sharedMemory.alloc("i32", [1, 128], { align: 128 });
  const landed = new Mbarriers(1).at(0);
  if (threadIdx.x === 0) {
    landed.init(1);
    fence.mbarrierInit();
  }
  syncThreads();
  if (threadIdx.x === 0) x.load(row, landed, [0, 0]);
  landed.wait(false); // hangs
  out[threadIdx.x] = row[0]![threadIdx.x]!;
});

export const missingExpectTx = hang({
  name: "missing-expect-tx",
  file: import.meta.filename,
  kernel: copy,
  args: [mapOf(input("i32", [1, 128], count(128)), { box: [1, 128] }), output("i32", [128], count(128))],
  says: [/mbarrier/, /1 of 1 arrival/],
  finds: [/mbarrier landed at/],
});
