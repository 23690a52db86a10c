// Takes a part of a matrix with one offset.
import { kernel, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(y: Tensor<"f32", 2>) {
  const row = y.subview([0], [1, 32]); // error: W3008
  row[0][threadIdx.x] = 0;
});

export const run = () => wrong.compile(tensorSpec("f32", [64, 32]));
