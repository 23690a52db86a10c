// Waits for the warp in a loop that goes round as often as the thread's number says.
import { kernel, range, syncWarp, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(x: Tensor<"f32", 1>) {
  for (const i of range(threadIdx.x)) {
    x[i] = 1;
    syncWarp(); // error: W2048
  }
});

export const run = () => wrong.compile(tensorSpec("f32", [128]));
