// A lane gives one number; an array's are shuffled one by one.
import { kernel, type Tensor, tensorSpec, threadIdx, warp } from "warpsmith";

const wrong = kernel({ block: 32 }, function wrong(x: Tensor<"f32", 1>) {
  const pair = [x[threadIdx.x], x[0]];
  x[0] = warp.shuffle(pair as unknown as number, 0); // error: W2010
});

export const run = () => wrong.compile(tensorSpec("f32", [32]));
