// Gives a tensor where the value of a thread is asked for.
import { kernel, type Tensor, tensorSpec, warp } from "warpsmith";

const wrong = kernel({ block: 32, grid: 1 }, function wrong(x: Tensor<"f32", 1>) {
  warp.reduce(x, (a) => a); // error: W2010
});

export const run = () => wrong.compile(tensorSpec("f32", [32]));
