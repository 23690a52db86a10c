// Writes the element before the first one of shared memory.
import { kernel, openDevice, sharedMemory, syncThreads, type Tensor, threadIdx } from "warpsmith";

const reverse = kernel({ block: 32 }, function reverse(x: Tensor<"f32", 1>) {
  const tile = sharedMemory.alloc("f32", [4, 32]);
  const i = threadIdx.x;
  for (let row = 0; row < 4; row++) tile[row][i - 1] = x[i]; // error: W7525
  syncThreads();
  x[i] = tile[3][i];
});

export async function run() {
  await using gpu = await openDevice("emulator");
  const x = gpu.zeros("f32", [32]);
  reverse.launch({ grid: 1 }, x);
  await x.read();
}
