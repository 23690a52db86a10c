// Lets the GPU say how many stages a pipeline has.
import { kernel, Pipeline, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(x: Tensor<"f32", 1>) {
  const pipe = new Pipeline({ stages: threadIdx.x }); // error: W5009
  pipe.init();
  x[0] = 1;
});

export const run = () => wrong.compile(tensorSpec("f32", [128]));
