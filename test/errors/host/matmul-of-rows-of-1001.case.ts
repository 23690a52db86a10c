// Multiplies a matrix whose rows have 1001 elements.
import { openDevice } from "warpsmith";
import { matmul } from "warpsmith/kernels";

export const run = async () => {
  await using gpu = await openDevice();
  const [x, w] = [gpu.zeros("f16", [128, 1001]), gpu.zeros("f16", [256, 1001])];
  matmul(x, w.transpose(1, 0)); // error: W7604
};
