// Allocates more shared memory than a block has.
import { kernel, sharedMemory, syncThreads, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(x: Tensor<"f32", 1>) {
  const a = sharedMemory.alloc("f32", [256, 128]); // error: W3900
  const b = sharedMemory.alloc("f32", [256, 128]);
  a[threadIdx.x][0] = x[0];
  b[threadIdx.x][0] = x[1];
  syncThreads();
  x[threadIdx.x] = a[0][threadIdx.x] + b[0][threadIdx.x];
});

export const run = () => wrong.compile(tensorSpec("f32", [128]));
