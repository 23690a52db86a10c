// Asks for a window without keys.
import { openDevice } from "warpsmith";
import { attention } from "warpsmith/kernels";

export const run = async () => {
  await using gpu = await openDevice();
  const x = gpu.zeros("f16", [1, 2, 64, 64]);
  attention(x, x, x, { window: 0 }); // error: W7046
};
