// Passes [batch, sequence, heads, d] beside [batch, heads, sequence, d].
import { openDevice } from "warpsmith";
import { attention } from "warpsmith/kernels";

export const run = async () => {
  await using gpu = await openDevice();
  const [q, k] = [gpu.zeros("f16", [1, 100, 8, 64]), gpu.zeros("f16", [1, 8, 100, 64])];
  attention(q, k, k); // error: W7641
};
