// Launches a kernel on a tensor that a failed launch has left, before it has heard of the failure.
import { assert, kernel, openDevice, type Tensor, threadIdx } from "warpsmith";

const checked = kernel({ block: 32, grid: 1 }, function checked(x: Tensor<"i32", 1>) {
  assert(x[threadIdx.x] > 5, "too small");
  x[threadIdx.x] = 0;
});
const increment = kernel({ block: 32, grid: 1 }, function increment(x: Tensor<"i32", 1>) {
  x[threadIdx.x] += 1;
});

export const run = async () => {
  await using gpu = await openDevice("emulator");
  const x = gpu.zeros("i32", [32]);
  checked.launch({}, x);
  const told = x.read().catch(() => {});
  increment.launch({}, x); // error: W7530
  await told;
  await gpu.sync();
};
