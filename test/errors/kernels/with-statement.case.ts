// Opens an object's fields with `with`.
import { kernel, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(x: Tensor<"f32", 1>) {
  with (Math) x[threadIdx.x] = sqrt(2); // error: W1005
});

export const run = () => wrong.compile(tensorSpec("f32", [128]));
