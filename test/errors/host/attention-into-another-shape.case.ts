// Gives an out of the shape of the keys.
import { openDevice } from "warpsmith";
import { attention } from "warpsmith/kernels";

export const run = async () => {
  await using gpu = await openDevice();
  const [q, k] = [gpu.zeros("f16", [1, 2, 64, 64]), gpu.zeros("f16", [1, 2, 128, 64])];
  attention(q, k, k, { out: gpu.zeros("f16", [1, 2, 128, 64]) }); // error: W7644
};
