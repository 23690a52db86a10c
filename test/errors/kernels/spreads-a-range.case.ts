// Spreads a range into an array.
import { kernel, range, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(n: Tensor<"i32", 1>) {
  const all = [...range(4)]; // error: W2027
  n[threadIdx.x] = all.length;
});

export const run = () => wrong.compile(tensorSpec("i32", [128]));
