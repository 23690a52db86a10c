// Asks a PTX module for a variable that it does not have.
import "warpsmith";
import { loadPtx } from "warpsmith/ptx";

const module = loadPtx({ file: "examples/ptx/saxpy.ptx" });

export const run = () => module.variable("alpha"); // error: W7808
