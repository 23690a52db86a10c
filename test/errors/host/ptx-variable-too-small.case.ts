// Takes a variable of a PTX module for more elements than it has.
import { openDevice } from "warpsmith";
import { loadPtx } from "warpsmith/ptx";

const module = loadPtx({ file: "examples/ptx/saxpy.ptx" });

export const run = async () => {
  await using gpu = await openDevice("emulator");
  module.variable("a", { device: gpu, dtype: "f32", shape: [4] }); // error: W7811
};
