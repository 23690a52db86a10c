// Gives a function of scores that the transform has not seen.
import { openDevice } from "warpsmith";
import { attention } from "warpsmith/kernels";

export const run = async () => {
  await using gpu = await openDevice();
  const x = gpu.zeros("f16", [1, 2, 64, 64]);
  attention(x, x, x, { score: (s, query, key) => s - Math.abs(query - key) }); // error: W7612
};
