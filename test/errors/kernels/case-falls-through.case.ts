// Lets a case fall through into the next.
import { kernel, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(n: Tensor<"i32", 1>) {
  switch (n[threadIdx.x]) {
    case 0: // error: W2032
      n[threadIdx.x] = 1;
    case 1:
      n[threadIdx.x] = 2;
  }
});

export const run = () => wrong.compile(tensorSpec("i32", [128]));
