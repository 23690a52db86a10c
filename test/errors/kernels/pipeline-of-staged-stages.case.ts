// Lets the GPU say how many stages a ring has.
import { kernel, Pipeline, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(x: Tensor<"f32", 1>) {
  const ring = new Pipeline({ stages: threadIdx.x }); // error: W5009
  ring.init();
  x[0] = 1;
});

export const run = () => wrong.compile(tensorSpec("f32", [128]));
