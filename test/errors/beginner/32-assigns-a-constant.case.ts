// Assigns what is declared by `const`.
import { kernel, openDevice, type Tensor, threadIdx } from "warpsmith";

const twice = kernel({ block: 64, grid: 1 }, function twice(x: Tensor<"f32", 1>) {
  const value = x.at(threadIdx.x).value;
  // @ts-expect-error: TypeScript says so, too.
  value *= 2; // error: W1023
  x.at(threadIdx.x).value = value;
});

export async function run() {
  await using gpu = await openDevice("emulator");
  const x = gpu.zeros("f32", [64]);
  twice.launch({}, x);
  await x.read();
}
