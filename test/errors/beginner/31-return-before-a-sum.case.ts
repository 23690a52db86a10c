// Threads beyond the end return before the block computes its sum, for which it needs all of them.
import { block, type i32, kernel, openDevice, type Tensor, threadIdx } from "warpsmith";

const total = kernel({ block: 128, grid: 1 }, function total(x: Tensor<"f32", 1>, y: Tensor<"f32", 1>, n: i32) {
  if (threadIdx.x >= n) return;
  const sum = block.sum(x.at(threadIdx.x).value); // error: W9209
  if (threadIdx.x === 0) y.at(0).value = sum;
});

export async function run() {
  await using gpu = await openDevice("emulator");
  const y = gpu.zeros("f32", [1]);
  total.launch({}, gpu.zeros("f32", [64]), y, 64);
  await y.read();
}
