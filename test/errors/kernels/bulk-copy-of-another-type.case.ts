// Copies f32 into shared memory of i32.
import { kernel, Mbarriers, sharedMemory, type Tensor, tensorSpec, tma } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(x: Tensor<"f32", 1>) {
  const tile = sharedMemory.alloc("i32", [128]);
  const bar = new Mbarriers(1).at(0);
  tma.bulkLoad(tile, x, bar); // error: W4513
});

export const run = () => wrong.compile(tensorSpec("f32", [128]));
