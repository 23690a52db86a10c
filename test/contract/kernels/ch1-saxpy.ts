// Chapter 1. y += alpha * x, one block per row and one thread per column.
import { blockIdx, type Compiled, type f32, kernel, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const M = 256,
  N = 32;

class Saxpy {
  @kernel({ block: N })
  static saxpy(x: Tensor<"f32", 2>, y: Tensor<"f32", 2>, alpha: f32) {
    const row = blockIdx.x,
      col = threadIdx.x;
    y[row][col] += x[row][col] * alpha;
  }
}

const spec = tensorSpec("f32", [M, N]);

/** What the host would pass. */
export const compiled = (): readonly Compiled[] => [kernel(Saxpy.saxpy).compile(spec, spec, 2)];
