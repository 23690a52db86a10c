// Takes a fourth dimension of the thread index.
import { kernel, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const wrong = kernel({ block: 32 }, function wrong(x: Tensor<"i32", 1>) {
  x[(threadIdx as unknown as { w: number }).w] = 1; // error: W2074
});

export const run = () => wrong.compile(tensorSpec("i32", [32]));
