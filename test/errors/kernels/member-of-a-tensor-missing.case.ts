// Misspells the shape of a tensor.
import { kernel, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const wrong = kernel({ block: 32 }, function wrong(x: Tensor<"i32", 1>) {
  const { shpe } = x as unknown as { shpe: number[] }; // error: W2074
  x[threadIdx.x] = shpe[0]!;
});

export const run = () => wrong.compile(tensorSpec("i32", [32]));
