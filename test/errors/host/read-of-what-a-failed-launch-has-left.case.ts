// Reads a tensor twice behind a launch that fails, and takes no notice of the first error.
import { assert, kernel, openDevice, type Tensor, threadIdx } from "warpsmith";

const checked = kernel({ block: 32, grid: 1 }, function checked(x: Tensor<"i32", 1>) {
  assert(x[threadIdx.x] > 5, "too small");
  x[threadIdx.x] = 0;
});

export const run = async () => {
  await using gpu = await openDevice("emulator");
  const x = gpu.zeros("i32", [32]);
  checked.launch({}, x);
  const first = x.read().catch(() => {});
  const second = x.read(); // error: W7531
  await Promise.all([first, second]);
};
