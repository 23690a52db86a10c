// Gives a mask whose sequences begin elsewhere.
import { helper, openDevice } from "warpsmith";
import { attentionMask, attentionVarlen } from "warpsmith/kernels";

const before = helper((query: number, key: number) => key <= query);

export const run = async () => {
  await using gpu = await openDevice("emulator");
  const x = gpu.zeros("f16", [100, 2, 64]);
  const mask = attentionMask(gpu, before, { queries: 100, keys: 100, cuSeqlens: gpu.tensor("i32", [3], [0, 50, 100]) });
  attentionVarlen(x, x, x, { cuSeqlens: gpu.tensor("i32", [3], [0, 40, 100]), mask }); // error: W7668
};
