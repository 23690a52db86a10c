// Compares where two elements are, and not what they are: that would be false for all of them.
import { kernel, openDevice, type Tensor, threadIdx } from "warpsmith";

const equal = kernel({ block: 64 }, function equal(x: Tensor<"f32", 1>, y: Tensor<"f32", 1>, same: Tensor<"i32", 1>) {
  const i = threadIdx.x;
  if (x.at(i) === y.at(i)) same[i] = 1; // error: W2009
});

export async function run() {
  await using gpu = await openDevice("emulator");
  const same = gpu.zeros("i32", [64]);
  equal.launch({ grid: 1 }, gpu.zeros("f32", [64]), gpu.zeros("f32", [64]), same);
  return same.read();
}
