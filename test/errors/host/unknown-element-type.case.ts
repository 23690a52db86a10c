// Allocates a tensor of a type that does not exist.
import { openDevice } from "warpsmith";

export const run = async () => {
  await using gpu = await openDevice();
  gpu.empty("float32", [128]); // error: W7002
};
