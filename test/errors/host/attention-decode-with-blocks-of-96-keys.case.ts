// Gives a plan with blocks of keys that no product has.
import { openDevice } from "warpsmith";
import { attentionDecode } from "warpsmith/kernels";

export const run = async () => {
  await using gpu = await openDevice();
  const q = gpu.zeros("bf16", [1, 8, 128]);
  const cache = gpu.zeros("bf16", [1, 8, 100, 128]);
  const plan = { keys: 96, stages: 2, blocks: 1, least: 2 } as never;
  attentionDecode(q, cache, cache, { plan }); // error: W7613
};
