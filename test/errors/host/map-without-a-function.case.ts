// Gives map no function.
import { openDevice } from "warpsmith";
import { map } from "warpsmith/kernels";

export async function run() {
  await using gpu = await openDevice("emulator");
  map({ x: gpu.zeros("f32", [64]) }, "relu" as never); // error: W7622
}
