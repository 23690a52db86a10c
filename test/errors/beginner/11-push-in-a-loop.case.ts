// Collects values in an array, in a loop on the GPU.
import { kernel, range, type Tensor, tensorSpec } from "warpsmith";

const collect = kernel({ block: 32 }, function collect(x: Tensor<"f32", 1>) {
  const found: number[] = [];
  for (const i of range(8)) {
    found.push(x[i]); // error: W2024
  }
  x[0] = found[0];
});

export const run = () => collect.compile(tensorSpec("f32", [32]));
