// Launches in a disposed stream.
import { type f32, kernel, openDevice, type Tensor, threadIdx } from "warpsmith";

const fill = kernel({ block: 128 }, function fill(x: Tensor<"f32", 1>, value: f32) {
  x[threadIdx.x] = value;
});

export const run = async () => {
  await using gpu = await openDevice();
  const x = gpu.zeros("f32", [128]);
  const stream = gpu.stream();
  stream[Symbol.dispose]();
  fill.launch({ grid: 1, stream }, x, 1); // error: W7014
};
