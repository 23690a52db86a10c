// Makes an i32 an f32 in a loop.
import { f32, i32, kernel, range, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(n: Tensor<"i32", 1>) {
  let sum = i32(0);
  for (const i of range(4)) { // error: W2022
    sum = f32(sum) + 0.5;
  }
  n[threadIdx.x] = i32(sum);
});

export const run = () => wrong.compile(tensorSpec("i32", [128]));
