// Uses a tensor of the host without passing it.
import { kernel, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const bias = tensorSpec("f32", [128]) as unknown as Tensor<"f32", 1>;

const wrong = kernel({ block: 128 }, function wrong(x: Tensor<"f32", 1>) {
  x[threadIdx.x] = bias[threadIdx.x]; // error: W3021
});

export const run = () => wrong.compile(tensorSpec("f32", [128]));
