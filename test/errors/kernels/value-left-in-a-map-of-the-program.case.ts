// Keeps a value of a kernel in a map of the program.
import { kernel, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const last = new Map<string, number>();

const wrong = kernel({ block: 32 }, function wrong(x: Tensor<"f32", 1>) {
  last.set("x", x[threadIdx.x]); // error: W2085
});

export const run = () => wrong.compile(tensorSpec("f32", [32]));
