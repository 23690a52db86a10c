// Allocates more memory than the device has.
import { openDevice } from "warpsmith";

export const machine = { memoryBytes: 2 ** 20 };

export const run = async () => {
  await using gpu = await openDevice();
  gpu.empty("f32", [1024, 1024]); // error: W8005
};
