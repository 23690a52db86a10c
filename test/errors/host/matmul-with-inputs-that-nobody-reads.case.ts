// Gives a bias and no epilogue.
import { openDevice } from "warpsmith";
import { matmul } from "warpsmith/kernels";

export const run = async () => {
  await using gpu = await openDevice();
  const [a, b, bias] = [gpu.zeros("f16", [64, 64]), gpu.zeros("f16", [64, 64]), gpu.zeros("f16", [64])];
  matmul(a, b, { inputs: { bias } }); // error: W7609
};
