// Decodes heads of a size that there is no kernel for.
import { openDevice } from "warpsmith";
import { attentionDecode } from "warpsmith/kernels";

export const run = async () => {
  await using gpu = await openDevice();
  const q = gpu.zeros("bf16", [2, 8, 80]);
  const cache = gpu.zeros("bf16", [2, 4, 100, 80]);
  attentionDecode(q, cache, cache); // error: W7642
};
