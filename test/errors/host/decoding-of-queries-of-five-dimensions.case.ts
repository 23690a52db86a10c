// Gives queries a dimension too many.
import { openDevice } from "warpsmith";
import { attentionDecode } from "warpsmith/kernels";

export const run = async () => {
  await using gpu = await openDevice("emulator");
  const [q, k] = [gpu.zeros("f16", [2, 1, 3, 4, 64]), gpu.zeros("f16", [2, 2, 96, 64])];
  attentionDecode(q as never, k, k); // error: W7601
};
