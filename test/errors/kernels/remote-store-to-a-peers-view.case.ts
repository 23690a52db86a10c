// Maps what is named as this block's own.
import { asyncCopy, cluster, kernel, Mbarriers, sharedMemory, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const wrong = kernel({ block: 32, cluster: 2 }, function wrong(x: Tensor<"f32", 1>) {
  const tile = cluster.map(sharedMemory.alloc("f32", [32]), 1);
  asyncCopy.store(tile.at(threadIdx.x), x[threadIdx.x]!, new Mbarriers(1).at(0), 1); // error: W3030
});

export const run = () => wrong.compile(tensorSpec("f32", [32]));
