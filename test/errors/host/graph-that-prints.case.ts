// Captures a kernel that prints.
import { kernel, openDevice, type Tensor, threadIdx } from "warpsmith";

const fill = kernel({ block: 128, grid: 1 }, function fill(x: Tensor<"f32", 1>) {
  if (threadIdx.x === 0) console.log(x[0]);
});

export const run = async () => {
  await using gpu = await openDevice();
  const x = gpu.zeros("f32", [128]);
  gpu.capture(() => fill.launch({}, x)); // error: W7519
};
