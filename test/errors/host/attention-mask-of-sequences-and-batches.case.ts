// Makes a mask of packed sequences and says how many batches there are, too.
import { helper, openDevice } from "warpsmith";
import { attentionMask } from "warpsmith/kernels";

const before = helper((query: number, key: number) => key <= query);

export const run = async () => {
  await using gpu = await openDevice("emulator");
  const cuSeqlens = gpu.tensor("i32", [3], [0, 40, 100]);
  attentionMask(gpu, before, { queries: 100, keys: 100, cuSeqlens, batches: 2 }); // error: W7666
};
