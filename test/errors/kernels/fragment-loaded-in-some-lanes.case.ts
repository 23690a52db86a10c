// Loads matrices into registers where a memory's value decides, but never for more than 20 threads.
import { kernel, sharedMemory, type Tensor, tensorSpec, threadIdx, WGMMAMatrix } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(x: Tensor<"f32", 1>, d: Tensor<"f16", 2>) {
  const a = sharedMemory.alloc("f16", [64, 64]);
  if (threadIdx.x < 20 && x[0] > 0) {
    const A = WGMMAMatrix.load(a); // error: W2048
    A.store(d);
  }
});

export const run = () => wrong.compile(tensorSpec("f32", [128]), tensorSpec("f16", [64, 64]));
