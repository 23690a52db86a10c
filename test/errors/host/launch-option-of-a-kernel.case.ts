// Gives a launch an option that is one of kernels.
import { kernel, openDevice, type Tensor, threadIdx } from "warpsmith";

const fill = kernel({ block: 32, grid: 1 }, function fill(x: Tensor<"f32", 1>) {
  x[threadIdx.x] = 1;
});

export const run = async () => {
  await using gpu = await openDevice("emulator");
  using x = gpu.zeros("f32", [32]);
  fill.launch({}, x);
  fill.launch({ debug: true }, x); // error: W2601
};
