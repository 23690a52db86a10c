// Measures a kernel where there is no GPU.
import { type f32, kernel, openDevice, type Tensor, threadIdx } from "warpsmith";

const fill = kernel({ block: 128 }, function fill(x: Tensor<"f32", 1>, value: f32) {
  x[threadIdx.x] = value;
});

export const run = async () => {
  await using gpu = await openDevice("emulator");
  await fill.bench({ grid: 1 }, gpu.zeros("f32", [128]), 1); // error: W8013
};
