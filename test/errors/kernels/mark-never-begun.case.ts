// Ends a span under another name than it was begun with.
import { kernel, profile, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(x: Tensor<"f32", 1>) {
  if (threadIdx.x < 32) {
    x[threadIdx.x] = 1;
    profile.end("lode"); // error: W7743
  }
});

export const run = () => wrong.compile(tensorSpec("f32", [128]));
