// Says where sequences of keys begin, and not where those of queries do.
import { helper, openDevice } from "warpsmith";
import { attentionMask } from "warpsmith/kernels";

const before = helper((query: number, key: number) => key <= query);

export const run = async () => {
  await using gpu = await openDevice("emulator");
  const cuSeqlensKeys = gpu.tensor("i32", [3], [0, 40, 100]);
  attentionMask(gpu, before, { queries: 100, keys: 100, cuSeqlensKeys }); // error: W7666
};
