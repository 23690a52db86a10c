// Sets an array's length where the GPU decides.
import { kernel, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(n: Tensor<"i32", 1>) {
  const list = [1, 2, 3];
  if (n[threadIdx.x] > 0) list.length = 0; // error: W2024
  n[0] = list.length;
});

export const run = () => wrong.compile(tensorSpec("i32", [128]));
