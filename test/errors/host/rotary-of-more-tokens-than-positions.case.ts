// Sequences are longer than the tables.
import { openDevice } from "warpsmith";
import { rotary } from "warpsmith/kernels";

export async function run() {
  await using gpu = await openDevice("emulator");
  const table = gpu.zeros("f32", [16, 32]);
  rotary(gpu.zeros("f32", [17, 8, 64]), table, table); // error: W7626
}
