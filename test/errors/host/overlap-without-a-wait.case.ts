// Lets a kernel start before the previous one ends, though it never waits for it.
import { type f32, kernel, openDevice, type Tensor, threadIdx } from "warpsmith";

const fill = kernel({ block: 128, grid: 1 }, function fill(x: Tensor<"f32", 1>, value: f32) {
  x[threadIdx.x] = value;
});

export const run = async () => {
  await using gpu = await openDevice();
  const x = gpu.zeros("f32", [128]);
  fill.launch({}, x, 1);
  fill.launch({ overlapPrevious: true }, x, 2); // error: W7518
};
