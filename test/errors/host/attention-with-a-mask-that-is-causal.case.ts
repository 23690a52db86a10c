// Gives a mask, and asks for a causal one beside it.
import { helper, openDevice } from "warpsmith";
import { attention, attentionMask } from "warpsmith/kernels";

const near = helper((query: number, key: number) => Math.abs(key - query) < 100);

export const run = async () => {
  await using gpu = await openDevice("emulator");
  const x = gpu.zeros("f16", [1, 2, 64, 64]);
  const mask = attentionMask(gpu, near, { queries: 64, keys: 64 });
  attention(x, x, x, { mask, causal: true }); // error: W7691
};
