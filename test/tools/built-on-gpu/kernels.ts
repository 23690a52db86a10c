// What is built for a machine with a GPU and without Node: a product of 512 cubed, and one number for each element of any length.
import { blockIdx, cdiv, type f32, kernel, type Tensor, tensorSpec, threadIdx } from "warpsmith";
import { build } from "warpsmith/build";
import { matmulKernel } from "warpsmith/kernels";

const scale = kernel(
  { block: 128, grid: (x) => cdiv(x.shape[0], 128), dynamic: { x: [0], y: [0] } },
  function scale(x: Tensor<"f32", 1>, y: Tensor<"f32", 1>, by: f32) {
    const i = blockIdx.x * 128 + threadIdx.x;
    if (i < x.shape[0]) y.at(i).store(x.at(i).load() * by);
  },
);

const any = tensorSpec("f32", [1]);
export default build((gpu) => ({
  scale: scale.at(any, any, 1),
  gemm: matmulKernel(gpu.empty("f16", [512, 512]), gpu.empty("f16", [512, 512])),
}));
