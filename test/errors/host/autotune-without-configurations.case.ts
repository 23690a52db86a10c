// Tunes over a list that a filter left empty.
import { autotune, type f32, kernel, type Tensor, threadIdx } from "warpsmith";

const blocks = [32, 64].filter((block) => block > 64);

const make = (block: number) =>
  kernel({ block, grid: 1 }, function fill(x: Tensor<"f32", 1>, value: f32) {
    x[threadIdx.x] = value;
  });

export const run = () => autotune(blocks, make); // error: W7540
