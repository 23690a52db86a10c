// Gives a mask that was made for other lengths.
import { helper, openDevice } from "warpsmith";
import { attention, attentionMask } from "warpsmith/kernels";

const before = helper((query: number, key: number) => key <= query);

export const run = async () => {
  await using gpu = await openDevice("emulator");
  const x = gpu.zeros("f16", [1, 2, 64, 64]);
  const mask = attentionMask(gpu, before, { queries: 128, keys: 128 });
  attention(x, x, x, { mask }); // error: W7690
};
