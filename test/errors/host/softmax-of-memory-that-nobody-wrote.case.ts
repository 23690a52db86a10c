// Takes the softmax of memory that nobody has written.
import { openDevice } from "warpsmith";
import { softmax } from "warpsmith/kernels";

export const run = async () => {
  await using gpu = await openDevice("emulator");
  const x = gpu.empty("f32", [4, 64]);
  const y = softmax(x); // error: W9209
  await y.read();
};
