// Gives a mask of more keys than queries, and asks for a window beside it.
import { helper, openDevice } from "warpsmith";
import { attention, attentionMask } from "warpsmith/kernels";

const even = helper((query: number, key: number) => key % 2 === 0);

export const run = async () => {
  await using gpu = await openDevice("emulator");
  const [q, k] = [gpu.zeros("f16", [1, 2, 64, 64]), gpu.zeros("f16", [1, 2, 96, 64])];
  const mask = attentionMask(gpu, even, { queries: 64, keys: 96 });
  attention(q, k, k, { mask, window: 8 }); // error: W7691
};
