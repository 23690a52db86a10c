// Combines f32 bit by bit.
import { kernel, sharedMemory, type Tensor, tensorSpec, tma } from "warpsmith";

const wrong = kernel({ block: 32 }, function wrong(x: Tensor<"f32", 1>) {
  const tile = sharedMemory.alloc("f32", [32]);
  tma.bulkReduce("xor", x, tile); // error: W4514
});

export const run = () => wrong.compile(tensorSpec("f32", [32]));
