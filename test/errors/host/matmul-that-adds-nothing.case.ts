// Adds what the result held before, but gives no result.
import { openDevice } from "warpsmith";
import { matmul } from "warpsmith/kernels";

export const run = async () => {
  await using gpu = await openDevice();
  const [a, b] = [gpu.zeros("f16", [64, 64]), gpu.zeros("f16", [64, 64])];
  matmul(a, b, { beta: 1 }); // error: W7627
};
