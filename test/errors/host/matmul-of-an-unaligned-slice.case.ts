// Multiplies a slice that begins at an odd column.
import { openDevice } from "warpsmith";
import { matmul } from "warpsmith/kernels";

export const run = async () => {
  await using gpu = await openDevice();
  const [x, w] = [gpu.zeros("f16", [128, 128]), gpu.zeros("f16", [64, 64])];
  matmul(x.slice(undefined, [1, 65]), w); // error: W7605
};
