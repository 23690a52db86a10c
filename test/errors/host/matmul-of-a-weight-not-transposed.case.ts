// Multiplies by a weight of [N, K] without transposing it.
import { openDevice } from "warpsmith";
import { matmul } from "warpsmith/kernels";

export const run = async () => {
  await using gpu = await openDevice();
  const [x, w] = [gpu.zeros("bf16", [32, 64]), gpu.zeros("bf16", [128, 64])];
  matmul(x, w); // error: W7603
};
