// Makes a pipeline of no stages.
import { kernel, Pipeline, type Tensor, tensorSpec } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(x: Tensor<"f32", 1>) {
  const pipe = new Pipeline({ stages: 0 }); // error: W5009
  pipe.init();
  x[0] = 1;
});

export const run = () => wrong.compile(tensorSpec("f32", [128]));
