// Gives a plan whose scores do not fit the registers.
import { openDevice } from "warpsmith";
import { attention } from "warpsmith/kernels";

export const run = async () => {
  await using gpu = await openDevice();
  const x = gpu.zeros("f16", [1, 2, 64, 128]);
  const plan = { consumers: 3, keys: 128, stages: 2, turns: true, overlap: true, slack: 8, persistent: true, group: 1 } as const;
  attention(x, x, x, { plan }); // error: W7613
};
