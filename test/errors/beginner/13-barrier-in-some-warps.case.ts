// Lets one of two warps come to a barrier of the whole block.
import { kernel, openDevice, sharedMemory, syncThreads, type Tensor, threadIdx } from "warpsmith";

const shift = kernel({ block: 64 }, function shift(x: Tensor<"f32", 1>) {
  const tile = sharedMemory.alloc("f32", [64]);
  const i = threadIdx.x;
  if (i < 32) {
    tile[i] = x[i];
    syncThreads(); // error: W9231
    tile[i + 32] = tile[31 - i];
  }
  syncThreads();
  x[i] = tile[i];
});

export async function run() {
  await using gpu = await openDevice("emulator");
  const x = gpu.zeros("f32", [64]);
  shift.launch({ grid: 1 }, x);
  await x.read();
}
