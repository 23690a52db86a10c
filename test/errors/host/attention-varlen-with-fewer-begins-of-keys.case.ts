// Attention of packed sequences of which there are fewer of keys.
import { openDevice } from "warpsmith";
import { attentionVarlen } from "warpsmith/kernels";

export const run = async () => {
  await using gpu = await openDevice();
  const x = gpu.zeros("f16", [100, 4, 64]);
  const cuSeqlens = gpu.tensor("i32", [3], [0, 40, 100]);
  const cuSeqlensKeys = gpu.tensor("i32", [2], [0, 100]);
  attentionVarlen(x, x, x, { cuSeqlens, cuSeqlensKeys }); // error: W7662
};
