// Gives the place of an element where the element is wanted.
import { kernel, openDevice, type Tensor, threadIdx } from "warpsmith";

const copy = kernel({ block: 64 }, function copy(x: Tensor<"f32", 1>, y: Tensor<"f32", 1>) {
  y.at(threadIdx.x).value = x.at(threadIdx.x) as unknown as number; // error: W2010
});

export async function run() {
  await using gpu = await openDevice("emulator");
  copy.launch({ grid: 1 }, gpu.zeros("f32", [64]), gpu.zeros("f32", [64]));
}
