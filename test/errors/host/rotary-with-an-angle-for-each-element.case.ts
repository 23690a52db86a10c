// The tables have an angle for each element of a head.
import { openDevice } from "warpsmith";
import { rotary } from "warpsmith/kernels";

export async function run() {
  await using gpu = await openDevice("emulator");
  const table = gpu.zeros("f32", [16, 64]);
  rotary(gpu.zeros("f32", [16, 8, 64]), table, table); // error: W7625
}
