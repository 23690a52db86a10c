// Launches a graph whose tensor is gone.
import { type f32, kernel, openDevice, type Tensor, threadIdx } from "warpsmith";

const fill = kernel({ block: 128, grid: 1 }, function fill(x: Tensor<"f32", 1>, value: f32) {
  x[threadIdx.x] = value;
});

export const run = async () => {
  await using gpu = await openDevice();
  const x = gpu.zeros("f32", [128]);
  using graph = gpu.capture(() => fill.launch({}, x, 1));
  x.dispose();
  graph.launch(); // error: W7032
};
