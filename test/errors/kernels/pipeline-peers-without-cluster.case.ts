// Shares a pipeline with blocks that are not there.
import { kernel, Pipeline, type Tensor, tensorSpec } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(x: Tensor<"f32", 1>) {
  const pipe = new Pipeline({ stages: 4, peers: 2 }); // error: W5010
  pipe.init();
  x[0] = 1;
});

export const run = () => wrong.compile(tensorSpec("f32", [128]));
