// Attends with keys of another type.
import { type DeviceTensor, openDevice } from "warpsmith";
import { attention } from "warpsmith/kernels";

type Heads = DeviceTensor<"f16" | "bf16", 4>;

export const run = async () => {
  await using gpu = await openDevice();
  const [q, k] = [gpu.zeros("f16", [1, 2, 64, 64]), gpu.zeros("bf16", [1, 2, 64, 64])];
  attention<"f16" | "bf16">(q as Heads, k as Heads, k as Heads); // error: W7640
};
