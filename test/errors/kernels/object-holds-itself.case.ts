// Changes a variable under a staged branch that holds an object which holds itself.
import { kernel, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(x: Tensor<"f32", 1>) {
  let node: { self?: unknown; n: number } = { n: 0 };
  node.self = node;
  if (x[0] > 0) { // error: W2025
    node = { n: 1 };
    node.self = node;
  }
  x[threadIdx.x] = node.n;
});

export const run = () => wrong.compile(tensorSpec("f32", [128]));
