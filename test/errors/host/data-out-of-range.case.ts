// Gives a u8 tensor the element 256.
import { openDevice } from "warpsmith";

export const run = async () => {
  await using gpu = await openDevice();
  gpu.tensor("u8", [2], [1, 256]); // error: W7005
};
