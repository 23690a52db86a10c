// Maps tensors of shapes that do not go together.
import { helper, openDevice } from "warpsmith";
import { map } from "warpsmith/kernels";

const add = helper(({ x, y }: { readonly x: number; readonly y: number }) => x + y);

export async function run() {
  await using gpu = await openDevice("emulator");
  map({ x: gpu.zeros("f32", [8, 64]), y: gpu.zeros("f32", [8]) }, add); // error: W7623
}
