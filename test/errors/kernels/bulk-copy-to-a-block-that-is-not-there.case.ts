// Copies to the third block of a cluster of two.
import { kernel, Mbarriers, sharedMemory, type Tensor, tensorSpec, tma } from "warpsmith";

const wrong = kernel({ block: 32, cluster: 2 }, function wrong(_x: Tensor<"f32", 1>) {
  const [a, b] = [sharedMemory.alloc("f32", [32]), sharedMemory.alloc("f32", [32])];
  tma.bulkCopy(a, b, new Mbarriers(1).at(0), 2); // error: W5008
});

export const run = () => wrong.compile(tensorSpec("f32", [32]));
