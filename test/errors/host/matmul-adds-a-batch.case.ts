// Adds the products of a batch to what out holds.
import { openDevice } from "warpsmith";
import { matmul } from "warpsmith/kernels";

export const run = async () => {
  await using gpu = await openDevice();
  const [a, b] = [gpu.zeros("f16", [4, 64, 64]), gpu.zeros("f16", [4, 64, 64])];
  matmul(a, b, { out: gpu.zeros("f16", [4, 64, 64]), beta: 1 }); // error: W7674
};
