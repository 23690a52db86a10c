// Arrives at an mbarrier that waits for nobody, on a GPU.
import { fence, kernel, Mbarriers, openDevice, syncThreads, type Tensor, threadIdx } from "warpsmith";
import { stoppedAt } from "../../support/stopped-machine.ts";

const fails = kernel({ block: 32, grid: 4 }, function fails(x: Tensor<"i32", 1>) {
  const full = new Mbarriers(1).at(0);
  if (threadIdx.x === 0) {
    full.init(1);
    fence.mbarrierInit();
  }
  syncThreads();
  full.arrive({ tx: 16 }); // error: W7759
  x[threadIdx.x] = 1;
});

export const machine = stoppedAt(fails, /mbarrier\.arrive/, { exception: 4 });

export async function run(): Promise<void> {
  await using gpu = await openDevice("cuda");
  const x = gpu.zeros("i32", [64]);
  fails.launch({ watch: false }, x);
  await x.read();
}
