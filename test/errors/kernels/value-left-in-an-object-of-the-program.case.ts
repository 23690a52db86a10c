// Takes a value out of a kernel by an object of the program.
import { kernel, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const state = { last: 0 };

const wrong = kernel({ block: 32 }, function wrong(x: Tensor<"f32", 1>) {
  state.last = x[threadIdx.x]; // error: W2085
});

export const run = () => wrong.compile(tensorSpec("f32", [32]));
