// Samples with neither random numbers nor a seed.
import { openDevice } from "warpsmith";
import { sample } from "warpsmith/kernels";

export async function run() {
  await using gpu = await openDevice("emulator");
  sample(gpu.zeros("f32", [4, 64]), { temperature: 0.8 }); // error: W7711
}
