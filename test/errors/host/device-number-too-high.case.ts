// Opens the tenth of two devices.
import { openDevice } from "warpsmith";

export const machine = { devices: [{ name: "NVIDIA H200", major: 9, minor: 0 }, { name: "NVIDIA H200", major: 9, minor: 0 }] };

export const run = () => openDevice("cuda:9"); // error: W8004
