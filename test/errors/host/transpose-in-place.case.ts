// Transposes a matrix into its own memory.
import { openDevice } from "warpsmith";
import { transpose } from "warpsmith/kernels";

export async function run() {
  await using gpu = await openDevice("emulator");
  const x = gpu.zeros("f32", [64, 64]);
  transpose(x, { out: x }); // error: W7619
}
