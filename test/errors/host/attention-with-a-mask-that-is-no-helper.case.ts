// Gives a mask function that the transform has not seen.
import { openDevice } from "warpsmith";
import { attentionMask } from "warpsmith/kernels";

export const run = async () => {
  await using gpu = await openDevice();
  attentionMask(gpu, (query, key) => key <= query, { queries: 64, keys: 64 }); // error: W7612
};
