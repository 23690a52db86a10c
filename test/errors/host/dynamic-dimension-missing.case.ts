// Makes a dimension dynamic that the tensor does not have.
import { kernel, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const wrong = kernel({ block: 128, dynamic: { x: [1] } }, function wrong(x: Tensor<"f32", 1>) {
  x[threadIdx.x] = 1;
});

export const run = () => wrong.compile(tensorSpec("f32", [128])); // error: W7513
