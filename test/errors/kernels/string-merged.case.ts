// Lets the GPU choose between two strings.
import { kernel, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(n: Tensor<"i32", 1>) {
  let name = "low";
  if (n[threadIdx.x] > 3) name = "high"; // error: W2022
  console.log(name);
});

export const run = () => wrong.compile(tensorSpec("i32", [128]));
