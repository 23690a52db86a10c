// Multiplies batches of batches of matrices.
import { openDevice } from "warpsmith";
import { matmul } from "warpsmith/kernels";

export const run = async () => {
  await using gpu = await openDevice();
  const [a, b] = [gpu.zeros("f16", [2, 4, 64, 64]), gpu.zeros("f16", [64, 64])];
  matmul(a as never, b); // error: W7601
};
