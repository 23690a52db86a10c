// Writes one past the last row.
import { kernel, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(y: Tensor<"f32", 2>) {
  y[64][threadIdx.x] = 0; // error: W3001
});

export const run = () => wrong.compile(tensorSpec("f32", [64, 32]));
