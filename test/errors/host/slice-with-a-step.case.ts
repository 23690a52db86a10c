// Gives a range a step.
import { openDevice } from "warpsmith";

export const run = async () => {
  await using gpu = await openDevice();
  gpu.zeros("f32", [8]).slice([0, 8, 2] as never); // error: W7011
};
