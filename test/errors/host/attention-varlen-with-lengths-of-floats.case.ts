// Attention of packed sequences that begin at numbers of f32.
import { openDevice } from "warpsmith";
import { attentionVarlen } from "warpsmith/kernels";

export const run = async () => {
  await using gpu = await openDevice();
  const x = gpu.zeros("f16", [100, 4, 64]);
  const cuSeqlens = gpu.tensor("f32", [3], [0, 40, 100]);
  // @ts-expect-error: begins are i32
  attentionVarlen(x, x, x, { cuSeqlens }); // error: W7662
};
