// Adds up to more than an i32 holds.
import { kernel, openDevice, type Tensor, threadIdx } from "warpsmith";

const double = kernel({ block: [8, 4] }, function double(x: Tensor<"i32", 2>) {
  const row = x[threadIdx.y];
  row[threadIdx.x] = row[threadIdx.x] + 2147483600; // error: W7526
});

export async function run() {
  await using gpu = await openDevice("emulator");
  const x = gpu.tensor("i32", [4, 8], Array.from({ length: 32 }, (_, i) => 2 * i));
  double.launch({ grid: 1 }, x);
  await x.read();
}
