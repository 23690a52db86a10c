// A Map is made with keys that are known only on the GPU.
import { kernel, type Tensor, tensorSpec, threadIdx } from "warpsmith";

export const run = () =>
  kernel({ block: 32 }, function distinct(x: Tensor<"i32", 1>) {
    const names = new Map([[threadIdx.x, 1], [x[0], 2]]); // error: W2041
    x[0] = names.size;
  }).compile(tensorSpec("i32", [32]));
