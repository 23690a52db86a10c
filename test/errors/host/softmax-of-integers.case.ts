// Takes the softmax of integers.
import { openDevice } from "warpsmith";
import { softmax } from "warpsmith/kernels";

export async function run() {
  await using gpu = await openDevice("emulator");
  softmax(gpu.zeros("i32", [4, 64]) as never); // error: W7616
}
