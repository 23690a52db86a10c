// A shape that is no list.
import { openDevice } from "warpsmith";

export const run = async () => {
  await using gpu = await openDevice("emulator");
  // @ts-expect-error: a list is wanted
  gpu.zeros("f32", 32); // error: W7003
};
