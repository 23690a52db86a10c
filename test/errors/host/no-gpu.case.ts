// Opens a device on a machine without one.
import { openDevice } from "warpsmith";

export const machine = "without a driver";

export const run = () => openDevice(); // error: W8001
