// Asserts on the emulator what its data do not keep; the emulator is not lost with it.
import { assert, kernel, openDevice, type Tensor, threadIdx } from "warpsmith";

const small = kernel({ block: 32, grid: 1, debug: true }, function small(x: Tensor<"i32", 1>, most: Tensor<"i32", 1>) {
  assert(x[threadIdx.x] < most[0], "too big"); // error: W7515
  x[threadIdx.x] = 1;
});

export const run = async () => {
  await using gpu = await openDevice("emulator");
  const x = gpu.zeros("i32", [32]);
  const failed = (most: number) => {
    small.launch({}, x, gpu.tensor("i32", [1], [most]));
    return x.read();
  };
  const error: unknown = await failed(0).catch((reason: unknown) => reason);
  // What its message says: the device goes on.
  const after = await failed(10);
  if (after.some((n) => n !== 1)) throw new Error("the next launch did not run");
  throw error;
};
