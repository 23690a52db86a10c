// Reshapes a transposed view.
import { openDevice } from "warpsmith";

export const run = async () => {
  await using gpu = await openDevice();
  gpu.zeros("f32", [4, 8]).transpose().reshape(32); // error: W7010
};
