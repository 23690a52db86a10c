// Decodes more queries at a time than a product has columns.
import { openDevice } from "warpsmith";
import { attentionDecode } from "warpsmith/kernels";

export const run = async () => {
  await using gpu = await openDevice();
  const q = gpu.zeros("bf16", [2, 9, 8, 128]);
  const cache = gpu.zeros("bf16", [2, 1, 100, 128]);
  attentionDecode(q, cache, cache); // error: W7660
};
