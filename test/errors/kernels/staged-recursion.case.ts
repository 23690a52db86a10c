// Recurs until a staged condition ends it.
import { kernel, type Tensor, tensorSpec, threadIdx } from "warpsmith";

function gcd(a: number, b: number): number {
  "use kernel";
  return b === 0 ? a : gcd(b, a % b); // error: W2037
}

const wrong = kernel({ block: 128 }, function wrong(n: Tensor<"i32", 1>) {
  n[threadIdx.x] = gcd(n[threadIdx.x], n[0]);
});

export const run = () => wrong.compile(tensorSpec("i32", [128]));
