// Reshapes to another number of elements.
import { openDevice } from "warpsmith";

export const run = async () => {
  await using gpu = await openDevice();
  gpu.zeros("f32", [4, 4]).reshape(15); // error: W7009
};
