// Two warps come to a barrier that waits for three.
import { f32, kernel, namedBarrier, openDevice, sharedMemory, type Tensor, threadIdx } from "warpsmith";

const reverse = kernel({ block: 128, grid: 1 }, function reverse(y: Tensor<"f32", 1>) {
  const i = threadIdx.x;
  const room = sharedMemory.alloc("f32", [64]);
  if (i < 64) {
    room.at(i).value = f32(i);
    namedBarrier(1, 96).sync(); // error: W9001
    y.at(i).value = room.at(63 - i).value;
  }
});

export async function run() {
  await using gpu = await openDevice("emulator");
  const y = gpu.zeros("f32", [64]);
  reverse.launch({}, y);
  await y.read();
}
