// Uses an mbarrier that other threads may not see initialised yet: no syncThreads after init.
import { fence, kernel, Mbarriers, openDevice, type Tensor, threadIdx } from "warpsmith";

const meet = kernel({ block: 64 }, function meet(x: Tensor<"f32", 1>) {
  const bar = new Mbarriers(1).at(0);
  if (threadIdx.x === 0) {
    bar.init(64);
    fence.mbarrierInit();
  }
  bar.arrive(); // error: W9212
  bar.wait(0);
  x[threadIdx.x] = 1;
});

export async function run() {
  await using gpu = await openDevice("emulator");
  const x = gpu.zeros("f32", [64]);
  meet.launch({ grid: 1 }, x);
  await x.read();
}
