// Makes an object's key from a thread index.
import { kernel, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(n: Tensor<"i32", 1>) {
  const table: Record<string, number> = { a: 1 };
  n[threadIdx.x] = table[`k${threadIdx.x}`]; // error: W2041
});

export const run = () => wrong.compile(tensorSpec("i32", [128]));
