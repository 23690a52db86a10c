// Calls a function that Math does not have.
import { kernel, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const wrong = kernel({ block: 32 }, function wrong(x: Tensor<"f32", 1>) {
  x[threadIdx.x] = (Math as unknown as { logarithm(x: number): number }).logarithm(x[threadIdx.x]); // error: W2075
});

export const run = () => wrong.compile(tensorSpec("f32", [32]));
