// Attention of packed sequences whose keys and values have different heads.
import { openDevice } from "warpsmith";
import { attentionVarlen } from "warpsmith/kernels";

export const run = async () => {
  await using gpu = await openDevice();
  const q = gpu.zeros("f16", [100, 4, 64]);
  const k = gpu.zeros("f16", [100, 2, 64]);
  const v = gpu.zeros("f16", [100, 4, 64]);
  const cuSeqlens = gpu.tensor("i32", [3], [0, 40, 100]);
  attentionVarlen(q, k, v, { cuSeqlens }); // error: W7661
};
