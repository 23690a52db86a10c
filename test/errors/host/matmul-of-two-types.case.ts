// Multiplies f16 by bf16.
import { type DeviceTensor, openDevice } from "warpsmith";
import { matmul } from "warpsmith/kernels";

export const run = async () => {
  await using gpu = await openDevice();
  const [a, b] = [gpu.zeros("f16", [64, 64]), gpu.zeros("bf16", [64, 64])];
  matmul<"f16" | "bf16">(a as DeviceTensor<"f16" | "bf16", 2>, b as DeviceTensor<"f16" | "bf16", 2>); // error: W7602
};
