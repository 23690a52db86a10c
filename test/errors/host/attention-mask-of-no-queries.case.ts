// Makes a mask and does not say of how many queries.
import { helper, openDevice } from "warpsmith";
import { attentionMask } from "warpsmith/kernels";

const causal = helper((query: number, key: number) => key <= query);

export const run = async () => {
  await using gpu = await openDevice("emulator");
  attentionMask(gpu, causal, { keys: 96 } as never); // error: W7046
};
