// Assigns an extent of a tensor.
import { kernel, type Tensor, tensorSpec } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(x: Tensor<"f32", 1>) {
  // @ts-expect-error: it cannot be assigned
  x.shape[0] = 3; // error: W2070
  x[0] = 1;
});

export const run = () => wrong.compile(tensorSpec("f32", [128]));
