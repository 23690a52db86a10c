// Asks a PTX module for a kernel by a name that it does not have.
import "warpsmith";
import { loadPtx } from "warpsmith/ptx";

const module = loadPtx({ file: "examples/ptx/saxpy.ptx" });

export const run = () => module.entry("saxpi"); // error: W7804
