// Names a stream within a capture.
import { type f32, kernel, openDevice, type Tensor, threadIdx } from "warpsmith";

const fill = kernel({ block: 128, grid: 1 }, function fill(x: Tensor<"f32", 1>, value: f32) {
  x[threadIdx.x] = value;
});

export const run = async () => {
  await using gpu = await openDevice();
  const x = gpu.zeros("f32", [128]);
  using stream = gpu.stream();
  gpu.capture(() => fill.launch({ stream }, x, 1)); // error: W7033
};
