// Asserts something that does not hold for one thread.
import { assert, kernel, openDevice, type Tensor, threadIdx } from "warpsmith";

const small = kernel({ block: 32 }, function small(x: Tensor<"i32", 1>) {
  assert(x[threadIdx.x] < 30, "every element is small"); // error: W7515
});

export async function run() {
  await using gpu = await openDevice("emulator");
  const x = gpu.tensor("i32", [32], Array.from({ length: 32 }, (_, i) => i));
  small.launch({ grid: 1 }, x);
  await x.read();
}
