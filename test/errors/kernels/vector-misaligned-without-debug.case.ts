// Loads four elements that do not begin at a multiple of 16 bytes: an index that only the GPU knows.
import { kernel, openDevice, type Tensor, threadIdx } from "warpsmith";

const quads = kernel({ block: 4 }, function quads(x: Tensor<"f32", 1>) {
  const [a, b, c, d] = x.at(threadIdx.x * 2).load({ vector: 4 }); // error: W9009
  x[threadIdx.x] = a + b + c + d;
});

export async function run() {
  await using gpu = await openDevice("emulator");
  const x = gpu.zeros("f32", [64]);
  quads.launch({ grid: 1 }, x);
  await x.read();
}
