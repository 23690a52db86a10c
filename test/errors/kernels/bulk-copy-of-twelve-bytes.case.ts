// Copies three f32 by one bulk copy.
import { kernel, Mbarriers, sharedMemory, type Tensor, tensorSpec, tma } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(x: Tensor<"f32", 1>) {
  const tile = sharedMemory.alloc("f32", [3]);
  const bar = new Mbarriers(1).at(0);
  tma.bulkLoad(tile, x.subview([0], [3]), bar); // error: W4511
});

export const run = () => wrong.compile(tensorSpec("f32", [128]));
