// Computes a grid that is no whole number.
import { type f32, kernel, openDevice, type Tensor, threadIdx } from "warpsmith";

const fill = kernel({ block: 128 }, function fill(x: Tensor<"f32", 1>, value: f32) {
  x[threadIdx.x] = value;
});

export const run = async () => {
  await using gpu = await openDevice();
  fill.launch({ grid: 100 / 128 }, gpu.zeros("f32", [100]), 1); // error: W7015
};
