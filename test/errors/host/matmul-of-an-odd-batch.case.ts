// Multiplies a part of a batch whose lines and matrices begin anywhere.
import { openDevice } from "warpsmith";
import { matmul } from "warpsmith/kernels";

export const run = async () => {
  await using gpu = await openDevice();
  const [x, b] = [gpu.zeros("f16", [4, 80, 75]), gpu.zeros("f16", [75, 64])];
  matmul(x.slice(undefined, [0, 64]), b); // error: W7672
};
