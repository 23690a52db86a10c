// Asks for a cluster of sixteen without saying so.
import { kernel, openDevice, type Tensor, threadIdx } from "warpsmith";

const many = kernel({ block: 128, cluster: 16 }, function many(x: Tensor<"f32", 1>) {
  x[threadIdx.x] = 1;
});

export const run = async () => {
  await using gpu = await openDevice();
  many.launch({ grid: 16 }, gpu.zeros("f32", [128])); // error: W7019
};
