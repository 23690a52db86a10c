// Compiles a decorated method, not its kernel.
import { kernel, type Tensor, tensorSpec, threadIdx } from "warpsmith";

class Kernels {
  @kernel({ block: 32, grid: 1 })
  static fill(x: Tensor<"f32", 1>) {
    x[threadIdx.x] = 1;
  }
}

export const run = () => (Kernels.fill as never as { compile(...args: unknown[]): unknown }).compile(tensorSpec("f32", [32])); // error: W7537
