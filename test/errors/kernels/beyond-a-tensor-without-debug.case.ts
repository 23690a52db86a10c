// Writes beyond the last element of a tensor, and is not compiled with checks.
import { blockIdx, kernel, openDevice, type Tensor, threadIdx } from "warpsmith";

const fill = kernel({ block: 32, debug: false }, function fill(x: Tensor<"f32", 1>) {
  const i = blockIdx.x * 32 + threadIdx.x;
  x[i] = 1; // error: W9008
});

export async function run() {
  await using gpu = await openDevice("emulator");
  const x = gpu.zeros("f32", [100]);
  fill.launch({ grid: 4 }, x);
  await x.read();
}
