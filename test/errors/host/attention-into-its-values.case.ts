// Writes into the values.
import { type DeviceTensor, openDevice } from "warpsmith";
import { attention } from "warpsmith/kernels";

type Heads = DeviceTensor<"f16", 4>;

export const run = async () => {
  await using gpu = await openDevice();
  const [q, k, v] = [1, 2, 3].map(() => gpu.zeros("f16", [1, 2, 64, 64])) as [Heads, Heads, Heads];
  attention(q, k, v, { out: v }); // error: W7645
};
