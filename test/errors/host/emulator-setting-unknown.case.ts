// Asks the emulator for a schedule that there is not.
import { openDevice } from "warpsmith";

export const run = async () => {
  await openDevice("emulator", { schedule: "late" }); // error: W7025
};
