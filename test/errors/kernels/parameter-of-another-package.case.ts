// A parameter has a type of another package, which the transform does not read.
import type { FileHandle } from "node:fs/promises";
import { kernel, type Tensor, tensorSpec, threadIdx } from "warpsmith";

export const run = () =>
  kernel({ block: 32 }, function scale(x: Tensor<"f32", 1>, a: FileHandle) { // error: W7520
    x[threadIdx.x] = x[threadIdx.x] * Number(a);
  }).compile(tensorSpec("f32", [32]), 2 as never);
