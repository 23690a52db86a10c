// Uses an operator in a function marked `explicit`.
import { explicit, kernel, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const twice = explicit((v: number) => v * 2);

const wrong = kernel({ block: 128 }, function wrong(x: Tensor<"f32", 1>) {
  x[threadIdx.x] = twice(threadIdx.x); // error: W2008
});

export const run = () => wrong.compile(tensorSpec("f32", [128]));
