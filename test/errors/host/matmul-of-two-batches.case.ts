// Multiplies batches of different lengths.
import { openDevice } from "warpsmith";
import { matmul } from "warpsmith/kernels";

export const run = async () => {
  await using gpu = await openDevice();
  const [a, b] = [gpu.zeros("f16", [4, 64, 64]), gpu.zeros("f16", [3, 64, 64])];
  matmul(a, b); // error: W7671
};
