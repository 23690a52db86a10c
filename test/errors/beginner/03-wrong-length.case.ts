// Gives a tensor of 64 elements 63 numbers.
import { openDevice } from "warpsmith";

export async function run() {
  await using gpu = await openDevice("emulator");
  const numbers = Array.from({ length: 63 }, (_, i) => i);
  gpu.tensor("f32", [64], numbers); // error: W7004
}
