// Two tiles of f16 are loaded, and the bytes of f32 are expected.
import { fence, kernel, Mbarriers, sharedMemory, syncThreads, type Tensor, type TMA, threadIdx } from "warpsmith";
import { input, mapOf, output } from "../../cases/case.ts";
import { hang } from "../hang.ts";

const rows = 16;
const cols = 64;

const sum = kernel({ block: 64, grid: 2 }, function sum(a: TMA<"f16", 2>, b: TMA<"f16", 2>, out: Tensor<"f16", 1>) {
  const left = sharedMemory.alloc("f16", [rows, cols], { align: 128 });
  const right = sharedMemory.alloc("f16", [rows, cols], { align: 128 });
  const landed = new Mbarriers(1).at(0);
  if (threadIdx.x === 0) {
    landed.init(1);
    fence.mbarrierInit();
  }
  syncThreads();
  if (threadIdx.x === 0) {
    landed.arrive({ tx: 2 * rows * cols * 4 });
    a.load(left, landed, [0, 0]);
    b.load(right, landed, [0, 0]);
  }
  landed.wait(0); // hangs
  out[threadIdx.x] = left[3]![threadIdx.x]! + right[5]![threadIdx.x]!;
});

const ones = new Array<number>(rows * cols).fill(1);
const box = { box: [rows, cols] };

export const wrongBytes = hang({
  name: "wrong-bytes",
  file: import.meta.filename,
  kernel: sum,
  args: [
    mapOf(input("f16", [rows, cols], ones), box),
    mapOf(input("f16", [rows, cols], ones), box),
    output("f16", [cols], new Array<number>(cols).fill(2)),
  ],
  says: [/mbarrier/, /4096 bytes/],
  finds: [/mbarrier landed at/],
});
