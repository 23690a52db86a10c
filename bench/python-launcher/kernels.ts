/** What bench/python-launcher/measure.py launches: three tensors with maps, three tensors without, and two of any length with a number. */
import { blockIdx, cdiv, type f32, kernel, type Tensor, tensorSpec, threadIdx } from "warpsmith";
import { build } from "warpsmith/build";
import { kernelOf, layerNorm, matmulKernel } from "warpsmith/kernels";

const scale = kernel(
  { block: 128, grid: (x) => cdiv(x.shape[0], 128), dynamic: { x: [0], y: [0] } },
  function scale(x: Tensor<"f32", 1>, y: Tensor<"f32", 1>, by: f32) {
    const i = blockIdx.x * 128 + threadIdx.x;
    if (i < x.shape[0]) y[i] = x[i] * by;
  },
);

const n = tensorSpec("f32", [1024]);
export default build((gpu) => ({
  scale: scale.at(n, n, 1),
  gemm: matmulKernel(gpu.empty("f16", [128, 128]), gpu.empty("f16", [128, 128])),
  norm: kernelOf(layerNorm, gpu.empty("f32", [64, 256]), gpu.empty("f32", [256]), { bias: gpu.empty("f32", [256]) }),
}));
