// Gives a kernel of a PTX module a structure where it takes an int.
import { openDevice } from "warpsmith";
import { scalar, struct } from "warpsmith/ptx";
import { loadPtx } from "warpsmith/ptx";

const module = loadPtx({ file: "examples/ptx/saxpy.ptx" });

export const run = async () => {
  await using gpu = await openDevice("emulator");
  const x = gpu.zeros("f32", [8]);
  const n = struct(scalar("i32", 8), scalar("i32", 0));
  module.entry("saxpy").launch({ grid: 1, block: 8 }, n, x, x); // error: W7806
};
