// Begins a span that it nowhere ends.
import { kernel, profile, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(x: Tensor<"f32", 1>) {
  profile.begin("load"); // error: W7742
  x[threadIdx.x] = 1;
});

export const run = () => wrong.compile(tensorSpec("f32", [128]));
