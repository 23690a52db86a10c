// Multiplies batches whose result has rows of 82 bytes.
import { openDevice } from "warpsmith";
import { matmul } from "warpsmith/kernels";

export const run = async () => {
  await using gpu = await openDevice();
  const [a, b] = [gpu.zeros("f16", [4, 64, 64]), gpu.zeros("f16", [4, 64, 41])];
  matmul(a, b); // error: W7673
};
