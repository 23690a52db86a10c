import { blockIdx, type f32, kernel, type Tensor, threadIdx } from "warpsmith";

export class Saxpy {
  @kernel({ block: 32, grid: (x) => x.shape[0] })
  static saxpy(x: Tensor<"f32", 2>, y: Tensor<"f32", 2>, alpha: f32) {
    const row = blockIdx.x,
      col = threadIdx.x;
    y[row][col] += x[row][col] * alpha;
  }
}

export const saxpy = kernel(Saxpy.saxpy);
