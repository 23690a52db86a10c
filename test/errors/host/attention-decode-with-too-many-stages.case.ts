// Gives a plan that takes more shared memory than two blocks have.
import { openDevice } from "warpsmith";
import { attentionDecode } from "warpsmith/kernels";

export const run = async () => {
  await using gpu = await openDevice();
  const q = gpu.zeros("bf16", [1, 8, 128]);
  const cache = gpu.zeros("bf16", [1, 8, 100, 128]);
  attentionDecode(q, cache, cache, { plan: { keys: 64, stages: 4, blocks: 2, least: 2 } }); // error: W7654
};
