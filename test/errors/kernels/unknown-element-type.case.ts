// Allocates shared memory of a type that does not exist.
import { kernel, sharedMemory, type Tensor, tensorSpec } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(x: Tensor<"f32", 1>) {
  const tile = sharedMemory.alloc("float", [64]); // error: W3026
  x[0] = tile[0];
});

export const run = () => wrong.compile(tensorSpec("f32", [128]));
