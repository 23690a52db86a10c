// Attends with heads of 80 elements.
import { openDevice } from "warpsmith";
import { attention } from "warpsmith/kernels";

export const run = async () => {
  await using gpu = await openDevice();
  const x = gpu.zeros("f16", [1, 2, 64, 80]);
  attention(x, x, x); // error: W7642
};
