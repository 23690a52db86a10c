// Makes the kernel an async function.
import { kernel, type Tensor, threadIdx } from "warpsmith";

export const wrong = kernel({ block: 128 }, async function wrong(x: Tensor<"f32", 1>) { // error: W1002
  x[threadIdx.x] = 1;
});
