// Asks for a CUDA device on a machine without one.
import { openDevice } from "warpsmith";

export const machine = "without a driver";

export const run = () => openDevice("cuda"); // error: W8003
