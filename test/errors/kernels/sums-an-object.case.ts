// Adds objects.
import { block, kernel, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const wrong = kernel({ block: 64, grid: 1 }, function wrong(x: Tensor<"f32", 1>) {
  const pair = { re: x[threadIdx.x]!, im: x[threadIdx.x]! } as unknown as number;
  x[threadIdx.x] = block.sum(pair); // error: W2010
});

export const run = () => wrong.compile(tensorSpec("f32", [64]));
