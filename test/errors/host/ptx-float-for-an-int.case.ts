// Gives a kernel of a PTX module a fraction where it takes an int.
import { openDevice } from "warpsmith";
import { loadPtx } from "warpsmith/ptx";

const module = loadPtx({ file: "examples/ptx/saxpy.ptx" });

export const run = async () => {
  await using gpu = await openDevice("emulator");
  const x = gpu.zeros("f32", [8]);
  module.entry("saxpy").launch({ grid: 1, block: 8 }, 0.5, x, x); // error: W7809
};
