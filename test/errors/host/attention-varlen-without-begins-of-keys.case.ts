// Attention of packed sequences with more keys than queries, and nothing said of where those begin.
import { openDevice } from "warpsmith";
import { attentionVarlen } from "warpsmith/kernels";

export const run = async () => {
  await using gpu = await openDevice();
  const q = gpu.zeros("f16", [100, 4, 64]);
  const k = gpu.zeros("f16", [150, 4, 64]);
  const cuSeqlens = gpu.tensor("i32", [3], [0, 40, 100]);
  attentionVarlen(q, k, k, { cuSeqlens }); // error: W7663
};
