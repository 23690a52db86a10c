// Captures a launch whose configuration has not been chosen yet.
import { autotune, kernel, openDevice, type Tensor, threadIdx } from "warpsmith";

const fill = autotune([32, 64], (block) =>
  kernel({ block, grid: 1 }, function fill(x: Tensor<"f32", 1>) {
    x[threadIdx.x] = 1;
  }),
);

export const run = async () => {
  await using gpu = await openDevice("emulator");
  const x = gpu.zeros("f32", [64]);
  gpu.capture(() => {
    fill.launch({}, x); // error: W7029
  });
};
