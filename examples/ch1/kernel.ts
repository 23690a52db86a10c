import { blockIdx, kernel, type Tensor, threadIdx, type f32 } from "warpsmith";

export const M = 256, N = 32;

export class Saxpy {
  /** y += alpha * x: one block for each row, one thread for each column. */
  @kernel({ block: N, grid: M })
  static saxpy(x: Tensor<"f32", 2>, y: Tensor<"f32", 2>, alpha: f32) {
    const row = blockIdx.x, col = threadIdx.x;
    y[row][col] += x[row][col] * alpha;
  }
}

/** A decorator cannot change a method's type, so the kernel is asked for by name. */
export const saxpy = kernel(Saxpy.saxpy);
