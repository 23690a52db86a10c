// Marks a span with a name that only the GPU knows.
import { kernel, profile, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(x: Tensor<"f32", 1>) {
  profile.begin(threadIdx.x as never); // error: W7741
  x[threadIdx.x] = 1;
  profile.end("load");
});

export const run = () => wrong.compile(tensorSpec("f32", [128]));
