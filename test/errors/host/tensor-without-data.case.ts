// Makes a tensor of nothing.
import { openDevice } from "warpsmith";

export const run = async () => {
  await using gpu = await openDevice("emulator");
  gpu.tensor("f32", [128], undefined as never); // error: W7027
};
