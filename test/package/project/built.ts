// What is built in a project, to be launched in a folder without the compiler.
import { blockIdx, cdiv, type f32, kernel, type Tensor, tensorSpec, threadIdx } from "warpsmith";
import { build } from "warpsmith/build";

const scale = kernel(
  { block: 128, grid: (x) => cdiv(x.shape[0], 128), dynamic: { x: [0], y: [0] } },
  function scale(x: Tensor<"f32", 1>, y: Tensor<"f32", 1>, by: f32) {
    const i = blockIdx.x * 128 + threadIdx.x;
    if (i < x.shape[0]) y.at(i).store(x.at(i).load() * by);
  },
);

const spec = tensorSpec("f32", [1]);
export default build({ scale: scale.at(spec, spec, 1) });
