// Names a device in WARPSMITH_DEVICE that there is not.
import { openDevice } from "warpsmith";

export const run = async () => {
  process.env.WARPSMITH_DEVICE = "gpu0";
  await openDevice(); // error: W7001
};
