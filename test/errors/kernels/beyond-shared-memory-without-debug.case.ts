// Reads beyond the last element of shared memory, and is not compiled with checks.
import { kernel, openDevice, sharedMemory, syncThreads, type Tensor, threadIdx } from "warpsmith";

const turn = kernel({ block: [8, 4], debug: false }, function turn(x: Tensor<"f32", 2>) {
  const rows = sharedMemory.alloc("f32", [4, 8]);
  rows[threadIdx.y][threadIdx.x] = x[threadIdx.y][threadIdx.x];
  syncThreads();
  x[threadIdx.y][threadIdx.x] = rows[threadIdx.y + 1][threadIdx.x]; // error: W9008
});

export async function run() {
  await using gpu = await openDevice("emulator");
  const x = gpu.zeros("f32", [4, 8]);
  turn.launch({ grid: 1 }, x);
  await x.read();
}
