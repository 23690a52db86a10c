// Opens a device by a name that is none.
import { openDevice } from "warpsmith";

export const run = async () => {
  await openDevice("gpu"); // error: W7022
};
