// Takes the column for the row.
import { blockIdx, kernel, openDevice, type Tensor, threadIdx } from "warpsmith";

const copy = kernel({ block: [32, 8], grid: [2, 4] }, function copy(x: Tensor<"f32", 2>, y: Tensor<"f32", 2>) {
  const [column, row] = [blockIdx.x * 32 + threadIdx.x, blockIdx.y * 8 + threadIdx.y];
  y.at(row, column).value = x.at(column, row).value; // error: W7525
});

export async function run() {
  await using gpu = await openDevice("emulator");
  const y = gpu.zeros("f32", [32, 64]);
  copy.launch({}, gpu.zeros("f32", [32, 64]), y);
  await y.read();
}
