// Allocates on a disposed device.
import { openDevice } from "warpsmith";

export const run = async () => {
  const gpu = await openDevice();
  await gpu.dispose();
  gpu.zeros("f32", [128]); // error: W7007
};
