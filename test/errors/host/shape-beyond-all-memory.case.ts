// Allocates a tensor of more bytes than numbers count exactly.
import { openDevice } from "warpsmith";

export const run = async () => {
  await using gpu = await openDevice();
  gpu.empty("u8", [1073741824, 1073741824]); // error: W7056
};
