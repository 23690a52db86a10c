// Names a method of objects as a reduction.
import { kernel, sharedMemory, type Tensor, tensorSpec, threadIdx, tma } from "warpsmith";

const wrong = kernel({ block: 32 }, function wrong(x: Tensor<"f32", 1>) {
  const row = sharedMemory.alloc("f32", [32]);
  if (threadIdx.x === 0) tma.bulkReduce("toString" as never, x, row); // error: W4514
});

export const run = () => wrong.compile(tensorSpec("f32", [32]));
