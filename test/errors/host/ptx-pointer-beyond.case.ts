// Points behind the end of a tensor.
import { openDevice } from "warpsmith";
import { pointer } from "warpsmith/ptx";

export const run = async () => {
  await using gpu = await openDevice("emulator");
  pointer(gpu.zeros("f32", [8]), 36); // error: W7813
};
