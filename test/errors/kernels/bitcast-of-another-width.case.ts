// Reinterprets an f32 as 16 bits.
import { bitcast, f32, kernel, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(x: Tensor<"f32", 1>) {
  x[threadIdx.x] = f32(bitcast("f16", x[threadIdx.x])); // error: W2016
});

export const run = () => wrong.compile(tensorSpec("f32", [128]));
