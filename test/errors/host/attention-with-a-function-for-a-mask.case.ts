// Gives attention the function itself, where it takes the mask that attentionMask makes of it.
import { helper, openDevice } from "warpsmith";
import { attention } from "warpsmith/kernels";

const before = helper((query: number, key: number) => key <= query);

export const run = async () => {
  await using gpu = await openDevice();
  const x = gpu.zeros("f16", [1, 2, 64, 64]);
  attention(x, x, x, { mask: before as never }); // error: W7046
};
