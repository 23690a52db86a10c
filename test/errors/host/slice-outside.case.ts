// Takes a slice past the end.
import { openDevice } from "warpsmith";

export const run = async () => {
  await using gpu = await openDevice();
  gpu.zeros("f32", [8]).slice([4, 9]); // error: W7011
};
