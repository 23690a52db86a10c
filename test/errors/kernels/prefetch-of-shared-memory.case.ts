// Prefetches an element of shared memory.
import { kernel, sharedMemory, type Tensor, tensorSpec } from "warpsmith";

const wrong = kernel({ block: 32 }, function wrong(_x: Tensor<"f32", 1>) {
  sharedMemory.alloc("f32", [32]).at(3).prefetch(); // error: W3036
});

export const run = () => wrong.compile(tensorSpec("f32", [32]));
