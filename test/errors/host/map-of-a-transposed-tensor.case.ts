// Makes a tensor map of a transposed tensor.
import { openDevice, TMA } from "warpsmith";

export const run = async () => {
  await using gpu = await openDevice();
  new TMA(gpu.zeros("f16", [64, 128]).transpose(), { box: [64, 64] }); // error: W4007
};
