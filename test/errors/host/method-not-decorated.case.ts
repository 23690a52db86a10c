// Takes the kernel of a method that is not decorated.
import { kernel, type Tensor } from "warpsmith";

class Kernels {
  static fill(_x: Tensor<"f32", 1>) {}
}

export const run = () => kernel(Kernels.fill); // error: W7509
