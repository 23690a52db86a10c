// Launches three blocks in clusters of two.
import { kernel, openDevice, type Tensor, threadIdx } from "warpsmith";

const pair = kernel({ block: 128, cluster: 2 }, function pair(x: Tensor<"f32", 1>) {
  x[threadIdx.x] = 1;
});

export const run = async () => {
  await using gpu = await openDevice();
  pair.launch({ grid: 3 }, gpu.zeros("f32", [128])); // error: W7018
};
