// Allocates as much shared memory as a thread index says.
import { kernel, sharedMemory, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(n: Tensor<"i32", 1>) {
  const tile = sharedMemory.alloc("i32", [threadIdx.x]); // error: W3013
  n[0] = tile[0];
});

export const run = () => wrong.compile(tensorSpec("i32", [128]));
