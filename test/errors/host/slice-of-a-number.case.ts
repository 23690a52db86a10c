// Gives a place where a range is meant.
import { openDevice } from "warpsmith";

export const run = async () => {
  await using gpu = await openDevice();
  gpu.zeros("f32", [8]).slice(3 as never); // error: W7011
};
