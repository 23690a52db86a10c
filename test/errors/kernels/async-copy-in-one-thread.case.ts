// One thread copies what all are to copy together.
import { asyncCopy, kernel, sharedMemory, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(x: Tensor<"f32", 1>) {
  const tile = sharedMemory.alloc("f32", [512]);
  if (threadIdx.x === 0) asyncCopy.load(tile, x); // error: W2048
});

export const run = () => wrong.compile(tensorSpec("f32", [512]));
