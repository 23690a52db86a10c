// Copies the columns of a matrix by one bulk copy.
import { kernel, Mbarriers, sharedMemory, type Tensor, tensorSpec, tma } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(y: Tensor<"f32", 2>) {
  const tile = sharedMemory.alloc("f32", [64, 16]);
  const bar = new Mbarriers(1).at(0);
  tma.bulkLoad(tile, y.subview([0, 0], [64, 16]), bar); // error: W4512
});

export const run = () => wrong.compile(tensorSpec("f32", [64, 32]));
