// Passes a typed array where a tensor is wanted.
import { type f32, kernel, openDevice, type Tensor, threadIdx } from "warpsmith";

const fill = kernel({ block: 128 }, function fill(x: Tensor<"f32", 1>, value: f32) {
  x[threadIdx.x] = value;
});

export const run = async () => {
  await using gpu = await openDevice();
  fill.launch({ grid: 1 }, new Float32Array(128), 1); // error: W7503
};
