// The strides of a tensor in memory of another library put two elements in one place.
import { openDevice } from "warpsmith";

export async function run(): Promise<void> {
  await using gpu = await openDevice("emulator");
  const x = gpu.zeros("f32", [64]);
  gpu.tensorAt("f32", [4, 8], x.address(), { strides: [4, 1] }); // error: W7058
}
