// Copies one f16.
import { asyncCopy, kernel, sharedMemory, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const wrong = kernel({ block: 32 }, function wrong(x: Tensor<"f16", 1>) {
  const tile = sharedMemory.alloc("f16", [32]);
  asyncCopy.copy(tile.at(threadIdx.x), x.at(threadIdx.x)); // error: W3033
});

export const run = () => wrong.compile(tensorSpec("f16", [32]));
