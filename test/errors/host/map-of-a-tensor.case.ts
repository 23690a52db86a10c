// Gives map a tensor where it takes tensors by name.
import { helper, openDevice } from "warpsmith";
import { map } from "warpsmith/kernels";

export async function run() {
  await using gpu = await openDevice("emulator");
  map(gpu.zeros("f32", [64]) as never, helper((x: number) => 2 * x) as never); // error: W7621
}
