// Opens a device of an older architecture.
import { openDevice } from "warpsmith";

export const machine = { devices: [{ name: "NVIDIA A100", major: 8, minor: 0 }] };

export const run = () => openDevice("cuda:0"); // error: W8004
