// Makes dimensions of a parameter dynamic that is no tensor.
import { kernel, type Tensor, threadIdx } from "warpsmith";

export const run = () =>
  kernel({ block: 128, dynamic: { y: [0] } }, function wrong(x: Tensor<"f32", 1>) { // error: W7512
    x[threadIdx.x] = 1;
  });
