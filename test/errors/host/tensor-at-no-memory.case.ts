// A tensor is made at an address where the device has no memory.
import { openDevice } from "warpsmith";

export async function run(): Promise<void> {
  await using gpu = await openDevice("emulator");
  gpu.tensorAt("f32", [64, 64], 0x1000n); // error: W7057
}
