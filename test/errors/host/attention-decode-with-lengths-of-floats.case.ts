// Gives lengths that are no integers.
import { openDevice } from "warpsmith";
import { attentionDecode } from "warpsmith/kernels";

export const run = async () => {
  await using gpu = await openDevice();
  const q = gpu.zeros("bf16", [1, 8, 128]);
  const cache = gpu.zeros("bf16", [1, 8, 100, 128]);
  attentionDecode(q, cache, cache, { lengths: gpu.zeros("f32", [1]) as never }); // error: W7644
};
