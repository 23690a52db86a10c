// Decodes with a window that not even a query's own key is in.
import { openDevice } from "warpsmith";
import { attentionDecode } from "warpsmith/kernels";

export const run = async () => {
  await using gpu = await openDevice();
  const q = gpu.zeros("bf16", [2, 8, 128]);
  const cache = gpu.zeros("bf16", [2, 4, 100, 128]);
  attentionDecode(q, cache, cache, { window: 0 }); // error: W7046
};
