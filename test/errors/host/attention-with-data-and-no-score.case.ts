// Attention that is given tensors for no function.
import { openDevice } from "warpsmith";
import { attention } from "warpsmith/kernels";

export const run = async () => {
  await using gpu = await openDevice();
  const x = gpu.zeros("f16", [1, 2, 100, 64]);
  const slopes = gpu.zeros("f32", [2]);
  attention(x, x, x, { data: { slopes } }); // error: W7664
};
