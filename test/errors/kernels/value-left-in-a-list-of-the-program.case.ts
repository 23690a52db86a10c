// Collects values of a kernel in an array of the program.
import { kernel, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const seen: number[] = [];

const wrong = kernel({ block: 32 }, function wrong(x: Tensor<"f32", 1>) {
  seen.push(x[threadIdx.x]); // error: W2085
});

export const run = () => wrong.compile(tensorSpec("f32", [32]));
