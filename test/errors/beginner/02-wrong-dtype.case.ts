// Passes whole numbers to a kernel of floats.
import { kernel, openDevice, type Tensor, threadIdx } from "warpsmith";

const double = kernel({ block: 64 }, function double(x: Tensor<"f32", 1>) {
  x[threadIdx.x] = x[threadIdx.x] * 2;
});

export async function run() {
  await using gpu = await openDevice("emulator");
  const x = gpu.tensor("i32", [64], Array.from({ length: 64 }, (_, i) => i));
  double.launch({ grid: 1 }, x as never); // error: W7504
}
