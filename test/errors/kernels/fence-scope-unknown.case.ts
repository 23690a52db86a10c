// Fences at a scope that PTX does not have.
import { fence, kernel, type Tensor, tensorSpec } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(x: Tensor<"f32", 1>) {
  fence.acqRel("device"); // error: W3025
  x[0] = 1;
});

export const run = () => wrong.compile(tensorSpec("f32", [128]));
