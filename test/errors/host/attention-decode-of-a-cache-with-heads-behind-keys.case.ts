// Gives a cache whose heads come behind its keys, as it lies in memory.
import { openDevice } from "warpsmith";
import { attentionDecode } from "warpsmith/kernels";

export const run = async () => {
  await using gpu = await openDevice();
  const q = gpu.zeros("f16", [2, 8, 64]);
  const cache = gpu.zeros("f16", [2, 1000, 4, 64]);
  attentionDecode(q, cache, cache); // error: W7650
};
