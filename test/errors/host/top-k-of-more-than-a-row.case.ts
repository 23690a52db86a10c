// Asks for more elements than a row has.
import { openDevice } from "warpsmith";
import { topK } from "warpsmith/kernels";

export async function run() {
  await using gpu = await openDevice("emulator");
  topK(gpu.zeros("f32", [4, 64]), 65); // error: W7624
}
