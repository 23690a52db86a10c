// Names a barrier that the hardware does not have.
import { kernel, namedBarrier, type Tensor, tensorSpec } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(x: Tensor<"f32", 1>) {
  namedBarrier(16, 128).sync(); // error: W3023
  x[0] = 1;
});

export const run = () => wrong.compile(tensorSpec("f32", [128]));
