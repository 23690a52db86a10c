// Names a dimension twice.
import { openDevice } from "warpsmith";

export const run = async () => {
  await using gpu = await openDevice();
  gpu.zeros("f32", [4, 4]).transpose(0, 0); // error: W7008
};
