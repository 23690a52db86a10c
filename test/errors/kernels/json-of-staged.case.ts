// Prints a staged value through JSON.
import { kernel, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(n: Tensor<"i32", 1>) {
  console.log(JSON.stringify(n[threadIdx.x])); // error: W2034
});

export const run = () => wrong.compile(tensorSpec("i32", [128]));
