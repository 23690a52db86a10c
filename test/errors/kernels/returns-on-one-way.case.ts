// Returns a value from a helper on one way alone.
import { kernel, type Tensor, tensorSpec, threadIdx } from "warpsmith";

function positive(v: number): number { // error: W2047
  "use kernel";
  if (v > 0) return v;
}

const wrong = kernel({ block: 128 }, function wrong(n: Tensor<"i32", 1>) {
  n[threadIdx.x] = positive(n[threadIdx.x]);
});

export const run = () => wrong.compile(tensorSpec("i32", [128]));
