// Asks for more dynamic shared memory than a block has.
import { kernel, openDevice, type Tensor, threadIdx } from "warpsmith";

const big = kernel({ block: 128, smem: 300_000 }, function big(x: Tensor<"f32", 1>) {
  x[threadIdx.x] = 1;
});

export const run = async () => {
  await using gpu = await openDevice();
  big.launch({ grid: 1 }, gpu.zeros("f32", [128])); // error: W3900
};
