// Gives fewer batches of keys than of queries, and no pages.
import { openDevice } from "warpsmith";
import { attentionDecode } from "warpsmith/kernels";

export const run = async () => {
  await using gpu = await openDevice();
  const q = gpu.zeros("f16", [3, 8, 64]);
  const cache = gpu.zeros("f16", [2, 4, 100, 64]);
  attentionDecode(q, cache, cache); // error: W7650
};
