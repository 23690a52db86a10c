// Launches more blocks than the GPU holds at once, which are to wait for each other.
import { blockIdx, grid, kernel, openDevice, type Tensor } from "warpsmith";

const wait = kernel({ block: 1024, cooperative: true }, function wait(x: Tensor<"i32", 1>) {
  x[blockIdx.x] = 1;
  grid.sync();
});

export const run = async () => {
  await using gpu = await openDevice("emulator");
  using x = gpu.zeros("i32", [1024]);
  wait.launch({ grid: 265 }, x); // error: W8007
  await gpu.sync();
};
