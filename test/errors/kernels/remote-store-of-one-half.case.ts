// Stores one f16 to another block, to complete on its mbarrier.
import { asyncCopy, kernel, Mbarriers, sharedMemory, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const wrong = kernel({ block: 32, cluster: 2 }, function wrong(x: Tensor<"f16", 1>) {
  const tile = sharedMemory.alloc("f16", [32]);
  asyncCopy.store(tile.at(threadIdx.x), x[threadIdx.x]!, new Mbarriers(1).at(0), 1); // error: W3034
});

export const run = () => wrong.compile(tensorSpec("f16", [32]));
