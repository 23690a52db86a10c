// Maps elements by a function of another module that is ordinary JavaScript.
import { openDevice } from "warpsmith";
import { map } from "warpsmith/kernels";

const halved = new Function("inputs", "return inputs.x / 2") as (inputs: { readonly x: number }) => number;

export async function run() {
  await using gpu = await openDevice("emulator");
  map({ x: gpu.zeros("f32", [64]) }, halved); // error: W7612
}
