// Waits for more threads than the block has.
import { kernel, namedBarrier, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(x: Tensor<"i32", 1>) {
  namedBarrier(1, 256).sync(); // error: W3024
  x[threadIdx.x] = 1;
});

export const run = () => wrong.compile(tensorSpec("i32", [128]));
