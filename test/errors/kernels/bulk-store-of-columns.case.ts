// Stores to a column by one bulk copy.
import { kernel, sharedMemory, type Tensor, tensorSpec, tma } from "warpsmith";

const wrong = kernel({ block: 32 }, function wrong(x: Tensor<"f32", 2>) {
  const tile = sharedMemory.alloc("f32", [32]);
  tma.bulkStore(x.transpose().at(3), tile); // error: W4512
});

export const run = () => wrong.compile(tensorSpec("f32", [32, 32]));
