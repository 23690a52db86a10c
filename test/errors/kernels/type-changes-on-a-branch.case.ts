// Assigns an i32 on one side and an f32 on the other.
import { f32, i32, kernel, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(x: Tensor<"f32", 1>) {
  let t = i32(0);
  if (threadIdx.x < 64) t = x[threadIdx.x]; // error: W2022
  x[threadIdx.x] = f32(t);
});

export const run = () => wrong.compile(tensorSpec("f32", [128]));
