// Loads a PTX file that is not there.
import "warpsmith";
import { loadPtx } from "warpsmith/ptx";

export const run = () => loadPtx({ file: "saxpi.ptx" }); // error: W7810
