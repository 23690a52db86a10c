// Copies more than a row has: the next row begins behind it.
import { kernel, Mbarriers, sharedMemory, type Tensor, tensorSpec, threadIdx, tma } from "warpsmith";

const wrong = kernel({ block: 32 }, function wrong(x: Tensor<"f32", 2>) {
  const part = sharedMemory.alloc("f32", [16]);
  const bar = new Mbarriers(1).at(0);
  if (threadIdx.x === 0) tma.bulkLoad(part, x.at(0).subview([120], [16]), bar); // error: W3011
});

export const run = () => wrong.compile(tensorSpec("f32", [2, 128]));
