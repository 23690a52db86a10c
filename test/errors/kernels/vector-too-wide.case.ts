// Loads eight f32 in one instruction.
import { kernel, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(x: Tensor<"f32", 1>) {
  const [a] = x.at(threadIdx.x * 8).load({ vector: 8 }); // error: W3004
  x[0] = a;
});

export const run = () => wrong.compile(tensorSpec("f32", [128]));
