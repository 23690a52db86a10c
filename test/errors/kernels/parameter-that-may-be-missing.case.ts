// A parameter is a scalar of the GPU or nothing, and only one of them can be passed at launch.
import { type f32, kernel, type Tensor, tensorSpec, threadIdx } from "warpsmith";

export const run = () =>
  kernel({ block: 32 }, function scale(x: Tensor<"f32", 1>, a: f32 | undefined) { // error: W7520
    x[threadIdx.x] = x[threadIdx.x] * (a ?? 1);
  }).compile(tensorSpec("f32", [32]), 2);
