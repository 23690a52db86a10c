// Writes rows where other rows of the operand lie.
import { openDevice } from "warpsmith";
import { softmax } from "warpsmith/kernels";

export async function run() {
  await using gpu = await openDevice("emulator");
  const memory = gpu.zeros("f32", [6, 64]);
  softmax(memory.slice([0, 4]), { out: memory.slice([1, 5]) }); // error: W7618
}
