// Attention of packed sequences into its own queries, which blocks of the sequence before still read.
import { openDevice } from "warpsmith";
import { attentionVarlen } from "warpsmith/kernels";

export const run = async () => {
  await using gpu = await openDevice();
  const x = gpu.zeros("f16", [100, 4, 64]);
  const q = gpu.zeros("f16", [100, 4, 64]);
  const cuSeqlens = gpu.tensor("i32", [3], [0, 40, 100]);
  attentionVarlen(q, x, x, { cuSeqlens, out: q }); // error: W7645
};
