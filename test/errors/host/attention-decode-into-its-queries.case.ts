// Writes where other blocks still read.
import { openDevice } from "warpsmith";
import { attentionDecode } from "warpsmith/kernels";

export const run = async () => {
  await using gpu = await openDevice();
  const q = gpu.zeros("bf16", [1, 8, 128]);
  const cache = gpu.zeros("bf16", [1, 8, 100, 128]);
  attentionDecode(q, cache, cache, { out: q }); // error: W7645
};
