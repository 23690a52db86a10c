// Lets 100 threads meet at a barrier.
import { kernel, namedBarrier, type Tensor, tensorSpec } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(x: Tensor<"f32", 1>) {
  namedBarrier(1, 100).sync(); // error: W3024
  x[0] = 1;
});

export const run = () => wrong.compile(tensorSpec("f32", [128]));
