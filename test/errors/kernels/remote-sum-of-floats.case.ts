// Adds f32 in another block, to complete on its mbarrier.
import { asyncCopy, kernel, Mbarriers, sharedMemory, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const wrong = kernel({ block: 32, cluster: 2 }, function wrong(x: Tensor<"f32", 1>) {
  const tile = sharedMemory.alloc("f32", [32]);
  asyncCopy.reduce("add", tile.at(0), x[threadIdx.x]!, new Mbarriers(1).at(0), 1); // error: W3035
});

export const run = () => wrong.compile(tensorSpec("f32", [32]));
