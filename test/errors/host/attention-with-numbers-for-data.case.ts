// Attention whose function of scores is to look at plain numbers.
import { helper, openDevice } from "warpsmith";
import { attention } from "warpsmith/kernels";

export const run = async () => {
  await using gpu = await openDevice();
  const x = gpu.zeros("f16", [1, 2, 100, 64]);
  // @ts-expect-error: data are tensors on a device
  attention(x, x, x, { score: helper((score: number) => score), data: { slopes: [1, 2] } }); // error: W7601
};
