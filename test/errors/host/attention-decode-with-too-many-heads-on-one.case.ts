// Has 128 heads of queries share one of keys.
import { openDevice } from "warpsmith";
import { attentionDecode } from "warpsmith/kernels";

export const run = async () => {
  await using gpu = await openDevice();
  const q = gpu.zeros("bf16", [1, 128, 64]);
  const cache = gpu.zeros("bf16", [1, 1, 100, 64]);
  attentionDecode(q, cache, cache); // error: W7652
};
