// A method that is not called, as a condition.
import { kernel, type Tensor, tensorSpec, warpgroup } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(x: Tensor<"f32", 1>) {
  // @ts-expect-error: it is always true
  if (warpgroup.elect) x.at(0).reduce("add", 1); // error: W2080
});

export const run = () => wrong.compile(tensorSpec("f32", [128]));
