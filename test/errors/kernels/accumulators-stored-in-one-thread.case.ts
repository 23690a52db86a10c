// Stores accumulators in one thread: the store is one of the whole warp (stmatrix).
import { kernel, sharedMemory, type Tensor, tensorSpec, threadIdx, WGMMAMatrix } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(d: Tensor<"f16", 2>) {
  const tile = sharedMemory.alloc("f16", [64, 64]);
  const D = WGMMAMatrix.accumulator("f32", [64, 64]);
  if (threadIdx.x === 0) D.convert("f16").store(tile); // error: W2048
  d[threadIdx.x][0] = tile[0][threadIdx.x % 64];
});

export const run = () => wrong.compile(tensorSpec("f16", [128, 64]));
