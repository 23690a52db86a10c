// Takes the stage before.
import { kernel, Pipeline, type Tensor, tensorSpec } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(x: Tensor<"f32", 1>) {
  const pipe = new Pipeline({ stages: 4 });
  pipe.init();
  const get = pipe.consumer().next();
  get.next(-1).release(); // error: W5011
  x[0] = 1;
});

export const run = () => wrong.compile(tensorSpec("f32", [128]));
