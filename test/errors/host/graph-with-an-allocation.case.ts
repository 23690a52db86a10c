// Makes a tensor within a capture.
import { type f32, kernel, openDevice, type Tensor, threadIdx } from "warpsmith";

const fill = kernel({ block: 128, grid: 1 }, function fill(x: Tensor<"f32", 1>, value: f32) {
  x[threadIdx.x] = value;
});

export const run = async () => {
  await using gpu = await openDevice();
  const x = gpu.zeros("f32", [128]);
  gpu.capture(() => {
    const y = gpu.zeros("f32", [128]); // error: W7029
    fill.launch({}, y, 1);
    fill.launch({}, x, 2);
  });
};
