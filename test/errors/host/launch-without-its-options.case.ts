// Forgets the first argument of a launch.
import { kernel, openDevice, type Tensor, threadIdx } from "warpsmith";

const fill = kernel({ block: 32, grid: 1 }, function fill(x: Tensor<"f32", 1>) {
  x[threadIdx.x] = 1;
});

export const run = async () => {
  await using gpu = await openDevice("emulator");
  using x = gpu.zeros("f32", [32]);
  fill.launch(x); // error: W2602
};
