// Throws where the GPU decides.
import { kernel, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(n: Tensor<"i32", 1>) {
  if (n[threadIdx.x] < 0) throw new Error("negative"); // error: W2042
});

export const run = () => wrong.compile(tensorSpec("i32", [128]));
