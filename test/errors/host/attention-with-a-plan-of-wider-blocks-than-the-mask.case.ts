// Attention with a mask of blocks of 64 keys, by a plan that multiplies 128 at a time.
import { helper, openDevice } from "warpsmith";
import { attention, attentionMask } from "warpsmith/kernels";

export const run = async () => {
  await using gpu = await openDevice("emulator");
  const x = gpu.zeros("f16", [1, 2, 100, 64]);
  const before = helper((query: number, key: number) => key <= query);
  const mask = attentionMask(gpu, before, { queries: 100, keys: 100, block: { queries: 128, keys: 64 } });
  const plan = { consumers: 2, keys: 128, stages: 2, turns: true, overlap: true, slack: 8, persistent: false, group: 1 } as const;
  attention(x, x, x, { mask, plan }); // error: W7613
};
