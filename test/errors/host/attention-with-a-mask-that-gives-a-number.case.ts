// Gives a mask function that says by how much, not whether.
import { helper, openDevice } from "warpsmith";
import { attentionMask } from "warpsmith/kernels";

const before = helper((query: number, key: number) => query - key);

export const run = async () => {
  await using gpu = await openDevice();
  attentionMask(gpu, before as never, { queries: 64, keys: 64 }); // error: W7692
};
