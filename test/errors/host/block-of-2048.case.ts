// Asks for a block of 2048 threads.
import { kernel, openDevice, type Tensor, threadIdx } from "warpsmith";

const wide = kernel({ block: 2048 }, function wide(x: Tensor<"f32", 1>) {
  x[threadIdx.x] = 1;
});

export const run = async () => {
  await using gpu = await openDevice();
  wide.launch({ grid: 1 }, gpu.zeros("f32", [2048])); // error: W7017
};
