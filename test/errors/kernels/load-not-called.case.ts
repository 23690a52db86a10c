// Adds to a method in place of what it loads.
import { kernel, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(x: Tensor<"f32", 1>) {
  const place = x.at(threadIdx.x);
  // @ts-expect-error: a method is no number
  x[threadIdx.x] = place.load + 1; // error: W2080
});

export const run = () => wrong.compile(tensorSpec("f32", [128]));
