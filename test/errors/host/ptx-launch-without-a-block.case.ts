// Launches a kernel of a PTX module and does not say how many threads a block has.
import { openDevice } from "warpsmith";
import { loadPtx } from "warpsmith/ptx";

const module = loadPtx({ file: "examples/ptx/saxpy.ptx" });

export const run = async () => {
  await using gpu = await openDevice("emulator");
  const x = gpu.zeros("f32", [8]);
  module.entry("saxpy").launch({ grid: 1 }, 8, x, x); // error: W7812
};
