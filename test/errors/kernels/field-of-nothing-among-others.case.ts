// Takes a field of a field that an object does not have; it has others.
import { kernel, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const wrong = kernel({ block: 32 }, function wrong(x: Tensor<"f32", 1>) {
  const options: { rows: number; columns: number; scale?: { by: number } } = { rows: 4, columns: 8 };
  x[threadIdx.x] = options.scale!.by; // error: W2076
});

export const run = () => wrong.compile(tensorSpec("f32", [32]));
