// Has pages of a size that blocks of keys are not made of.
import { openDevice } from "warpsmith";
import { attentionDecode } from "warpsmith/kernels";

export const run = async () => {
  await using gpu = await openDevice();
  const q = gpu.zeros("bf16", [1, 8, 64]);
  const pages = gpu.zeros("i32", [1, 10]);
  const cache = gpu.zeros("bf16", [20, 8, 48, 64]);
  attentionDecode(q, cache, cache, { pages }); // error: W7653
};
