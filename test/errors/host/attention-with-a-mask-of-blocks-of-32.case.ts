// A mask of blocks of fewer queries than a warpgroup multiplies.
import { helper, openDevice } from "warpsmith";
import { attentionMask } from "warpsmith/kernels";

export const run = async () => {
  await using gpu = await openDevice();
  const before = helper((query: number, key: number) => key <= query);
  // @ts-expect-error: blocks have 64, 128 or 256 queries
  attentionMask(gpu, before, { queries: 100, keys: 100, block: { queries: 32, keys: 64 } }); // error: W7046
};
