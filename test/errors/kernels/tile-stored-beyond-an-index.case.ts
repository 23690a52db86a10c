// Stores a tile to a part that a tensor has not: one index chooses what does not exist, inside the tensor's memory.
import { type i32, kernel, openDevice, type Tensor, WGMMAMatrix } from "warpsmith";

const wrong = kernel({ block: 128, grid: 1 }, function wrong(x: Tensor<"f32", 2>, y: Tensor<"f32", 4>, i: i32, j: i32) {
  WGMMAMatrix.load(x).store(y.at(i, j) as Tensor<"f32", 2>); // error: W7525
});

export async function run() {
  await using gpu = await openDevice("emulator");
  const [x, y] = [gpu.zeros("f32", [64, 8]), gpu.zeros("f32", [2, 2, 64, 8])];
  wrong.launch({}, x, y, 1, 1);
  await y.read();
  wrong.launch({}, x, y, 0, 2);
  await y.read();
}
