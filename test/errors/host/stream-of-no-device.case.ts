// Launches in a stream that no device made.
import { type f32, kernel, openDevice, type Tensor, threadIdx } from "warpsmith";

const fill = kernel({ block: 1024 }, function fill(x: Tensor<"f32", 1>, value: f32) {
  x[threadIdx.x] = value;
});

export const run = async () => {
  await using gpu = await openDevice();
  fill.launch({ grid: 1, stream: {} }, gpu.zeros("f32", [1024]), 1); // error: W7023
};
