// Gives a mask of packed sequences to attention of sequences that are not.
import { helper, openDevice } from "warpsmith";
import { attention, attentionMask } from "warpsmith/kernels";

const before = helper((query: number, key: number) => key <= query);

export const run = async () => {
  await using gpu = await openDevice("emulator");
  const x = gpu.zeros("f16", [1, 2, 100, 64]);
  const cuSeqlens = gpu.tensor("i32", [3], [0, 40, 100]);
  const mask = attentionMask(gpu, before, { queries: 100, keys: 100, cuSeqlens });
  attention(x, x, x, { mask }); // error: W7667
};
