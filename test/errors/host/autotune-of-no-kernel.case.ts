// Forgets to return the kernel that it makes.
import { autotune, kernel, openDevice, type Tensor, threadIdx } from "warpsmith";

const fill = autotune([32, 64], ((block: number) => {
  kernel({ block, grid: 1 }, function fill(x: Tensor<"f32", 1>) {
    x[threadIdx.x] = 1;
  });
}) as never);

export const run = async () => {
  await using gpu = await openDevice("emulator");
  fill.launch({}, gpu.zeros("f32", [64]) as never); // error: W7541
};
