// Reads the element after the last one.
import { kernel, openDevice, type Tensor, threadIdx } from "warpsmith";

const shift = kernel({ block: 64 }, function shift(x: Tensor<"f32", 1>, y: Tensor<"f32", 1>) {
  const i = threadIdx.x;
  y[i] = x[i + 1]; // error: W7525
});

export async function run() {
  await using gpu = await openDevice("emulator");
  const x = gpu.zeros("f32", [64]);
  const y = gpu.zeros("f32", [64]);
  shift.launch({ grid: 1 }, x, y);
  await y.read();
}
