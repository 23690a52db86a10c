// Every third column of shared memory that is stored in panels of 64 columns.
import { kernel, sharedMemory, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const wrong = kernel({ block: 32 }, function wrong(x: Tensor<"f16", 1>) {
  const tile = sharedMemory.alloc("f16", [8, 128], { swizzle: "128B" });
  const third = tile.subview([0, 0], [8, 40], [1, 3]); // error: W3039
  x[threadIdx.x] = third[0]![threadIdx.x]!;
});

export const run = () => wrong.compile(tensorSpec("f16", [32]));
