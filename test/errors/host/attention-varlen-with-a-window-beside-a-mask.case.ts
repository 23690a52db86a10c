// Asks for a window beside a mask of packed sequences that have other keys than queries.
import { helper, openDevice } from "warpsmith";
import { attentionMask, attentionVarlen } from "warpsmith/kernels";

const before = helper((query: number, key: number) => key <= query);

export const run = async () => {
  await using gpu = await openDevice("emulator");
  const [q, k] = [gpu.zeros("f16", [100, 2, 64]), gpu.zeros("f16", [200, 2, 64])];
  const [cuSeqlens, cuSeqlensKeys] = [gpu.tensor("i32", [3], [0, 40, 100]), gpu.tensor("i32", [3], [0, 90, 200])];
  const mask = attentionMask(gpu, before, { queries: 100, keys: 200, cuSeqlens, cuSeqlensKeys });
  attentionVarlen(q, k, k, { cuSeqlens, cuSeqlensKeys, mask, window: 16 }); // error: W7691
};
