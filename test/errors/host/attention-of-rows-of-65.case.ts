// Attends to keys in rows of 65 elements.
import { openDevice } from "warpsmith";
import { attention } from "warpsmith/kernels";

export const run = async () => {
  await using gpu = await openDevice();
  const [q, k] = [gpu.zeros("f16", [1, 2, 64, 64]), gpu.zeros("f16", [1, 2, 64, 65])];
  attention(q, k.slice(undefined, undefined, undefined, [0, 64]), q); // error: W7643
};
