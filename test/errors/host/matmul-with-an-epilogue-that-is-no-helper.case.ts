// Gives an epilogue that is no helper.
import { openDevice } from "warpsmith";
import { matmul } from "warpsmith/kernels";

export const run = async () => {
  await using gpu = await openDevice();
  const [a, b] = [gpu.zeros("f16", [64, 64]), gpu.zeros("f16", [64, 64])];
  matmul(a, b, { epilogue: (value) => Math.max(value, 0) }); // error: W7612
};
