// Opens a device with null in place of settings.
import { openDevice } from "warpsmith";

export const run = () => openDevice("emulator", null); // error: W2602
