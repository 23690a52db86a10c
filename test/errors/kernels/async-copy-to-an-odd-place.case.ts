// Copies four elements to a place that does not begin at a multiple of 16 bytes, in memory that does: an index that only the GPU knows.
import { asyncCopy, type i32, kernel, openDevice, sharedMemory, type Tensor, threadIdx } from "warpsmith";

const quads = kernel({ block: 4 }, function quads(x: Tensor<"f32", 1>, first: i32) {
  const tile = sharedMemory.alloc("f32", [64]);
  asyncCopy.copy(tile.at(4 * threadIdx.x + first), x.at(4 * threadIdx.x), { bytes: 16 }); // error: W9111
  asyncCopy.commit();
  asyncCopy.wait(0);
});

export async function run() {
  await using gpu = await openDevice("emulator");
  const x = gpu.zeros("f32", [64]);
  quads.launch({ grid: 1 }, x, 3);
  await x.read();
}
