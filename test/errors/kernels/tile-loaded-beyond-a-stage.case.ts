// Loads a tile from beyond one of two stages: it would be the other stage's.
import { type i32, kernel, openDevice, sharedMemory, type Tensor, WGMMAMatrix } from "warpsmith";

const wrong = kernel({ block: 128, grid: 1 }, function wrong(d: Tensor<"f32", 2>, n: i32) {
  const stages = sharedMemory.alloc("f32", [2, 80, 8]);
  WGMMAMatrix.load(stages.at(0).subview([n, 0], [64, 8])).store(d); // error: W7525
});

export async function run() {
  await using gpu = await openDevice("emulator");
  const d = gpu.zeros("f32", [64, 8]);
  wrong.launch({}, d, 40);
  await d.read();
}
