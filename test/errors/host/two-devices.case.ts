// Launches with tensors of two devices.
import { kernel, openDevice, type Tensor, threadIdx } from "warpsmith";

export const run = async () => {
  await using first = await openDevice();
  await using second = await openDevice();
  const add = kernel({ block: 128, grid: 1 }, function add(x: Tensor<"f32", 1>, y: Tensor<"f32", 1>) {
    x[threadIdx.x] += y[threadIdx.x];
  });
  add.launch({}, first.zeros("f32", [128]), second.zeros("f32", [128])); // error: W7012
};
