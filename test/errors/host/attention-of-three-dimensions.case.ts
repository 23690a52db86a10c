// Attends without a dimension of batches.
import { openDevice } from "warpsmith";
import { attention } from "warpsmith/kernels";

export const run = async () => {
  await using gpu = await openDevice();
  const x = gpu.zeros("f16", [8, 128, 64]);
  attention(x as never, x as never, x as never); // error: W7601
};
