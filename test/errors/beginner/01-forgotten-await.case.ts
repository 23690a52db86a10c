// Forgets the `await` before read().
import { kernel, openDevice, type Tensor, threadIdx } from "warpsmith";

const double = kernel({ block: 64 }, function double(x: Tensor<"f32", 1>) {
  x[threadIdx.x] = x[threadIdx.x] * 2;
});

export async function run() {
  await using gpu = await openDevice("emulator");
  const x = gpu.tensor("f32", [64], Array.from({ length: 64 }, (_, i) => i));
  double.launch({ grid: 1 }, x);
  const result = x.read() as unknown as number[];
  return result[3]; // error: W7528
}
