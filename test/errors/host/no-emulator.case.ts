// Asks for the emulator, which this version does not have.
import { openDevice } from "warpsmith";

export const run = () => openDevice("emulator"); // error: W8002
