import { blockIdx, cdiv, type Kernel, kernel, range, type Tensor, threadIdx } from "warpsmith";
import { sameShape } from "../shapes.ts";

/** out[0] = in[0]. One thread is enough. */
export const copyScalar = kernel({ block: 1, grid: 1 }, function copyScalar(input: Tensor<"f32", 1>, output: Tensor<"f32", 1>) {
  output[0] = input[0];
});

export type Memcpy = Kernel<[input: Tensor<"f32", 1>, output: Tensor<"f32", 1>]>;

/** A copy whose blocks take `xBlock` elements each, thread after thread. The last block stops where the data does. */
export function makeMemcpy(xBlock: number): Memcpy {
  const threads = Math.min(xBlock, 128);
  return kernel({ block: threads, grid: (input) => cdiv(input.shape[0], xBlock) },
    function memcpy(input: Tensor<"f32", 1>, output: Tensor<"f32", 1>) {
      sameShape(input, output);
      const first = blockIdx.x * xBlock, end = Math.min(first + xBlock, input.shape[0]);
      for (const i of range(first + threadIdx.x, end, threads)) output[i] = input[i];
    });
}
