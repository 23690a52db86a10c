// Allocates a tensor with no rows.
import { openDevice } from "warpsmith";

export const run = async () => {
  await using gpu = await openDevice();
  gpu.empty("f32", [0, 128]); // error: W7003
};
