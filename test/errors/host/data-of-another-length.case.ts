// Gives fewer elements than the shape has.
import { openDevice } from "warpsmith";

export const run = async () => {
  await using gpu = await openDevice();
  gpu.tensor("f32", [2, 2], [1, 2, 3]); // error: W7004
};
