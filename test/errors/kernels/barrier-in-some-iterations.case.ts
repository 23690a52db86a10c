// Waits for the warp in a loop with as many iterations as the number of the thread.
import { kernel, range, syncWarp, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(x: Tensor<"f32", 1>) {
  for (const i of range(threadIdx.x)) {
    x[i] = 1;
    syncWarp(); // error: W2048
  }
});

export const run = () => wrong.compile(tensorSpec("f32", [128]));
