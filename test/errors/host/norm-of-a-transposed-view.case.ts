// Normalises the rows of a transposed view, whose elements are no neighbours in memory.
import { openDevice } from "warpsmith";
import { rmsNorm } from "warpsmith/kernels";

export async function run() {
  await using gpu = await openDevice("emulator");
  rmsNorm(gpu.zeros("bf16", [64, 4]).transpose(1, 0), gpu.zeros("bf16", [64])); // error: W7617
}
