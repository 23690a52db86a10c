// Swaps elements of 16 bits at once.
import { f16, kernel, sharedMemory, type Tensor, tensorSpec } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(x: Tensor<"f32", 1>) {
  const tile = sharedMemory.alloc("f16", [64]);
  tile.at(0).compareAndSwap(f16(0), f16(1)); // error: W3020
  x[0] = 1;
});

export const run = () => wrong.compile(tensorSpec("f32", [128]));
