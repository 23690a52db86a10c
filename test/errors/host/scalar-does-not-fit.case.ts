// Passes a fraction for an i32.
import { type i32, kernel, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const add = kernel({ block: 128 }, function add(n: Tensor<"i32", 1>, by: i32) {
  n[threadIdx.x] += by;
});

export const run = async () => {
  add.compile(tensorSpec("i32", [128]), 0.5); // error: W7501
};
