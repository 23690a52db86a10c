// What the L2 cache is to do with shared memory.
import { kernel, sharedMemory, type Tensor, tensorSpec } from "warpsmith";

const wrong = kernel({ block: 32 }, function wrong(x: Tensor<"f32", 1>) {
  const tile = sharedMemory.alloc("f32", [32]);
  tile.at(0).store(1, { cacheHint: "evictLast" }); // error: W3036
  x[0] = tile[0];
});

export const run = () => wrong.compile(tensorSpec("f32", [32]));
