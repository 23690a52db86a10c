// A vector addition whose grid need not fit the data, and the same without the transform, for a REPL.
import {
  blockDim,
  blockIdx,
  type Compiled,
  explicit,
  expr,
  forRange,
  gridDim,
  kernel,
  range,
  type Tensor,
  tensorSpec,
  threadIdx,
} from "warpsmith";

export const add = kernel({ block: 256 }, function add(a: Tensor<"f32", 1>, b: Tensor<"f32", 1>, c: Tensor<"f32", 1>) {
  for (const i of range(blockIdx.x * blockDim.x + threadIdx.x, c.shape[0], gridDim.x * blockDim.x)) c[i] = a[i] + b[i];
});

export const addExplicit = kernel(
  { block: 256, params: ["tensor", "tensor", "tensor"] },
  explicit((a: Tensor<"f32", 1>, b: Tensor<"f32", 1>, c: Tensor<"f32", 1>) => {
    const first = expr(blockIdx.x).mul(blockDim.x).add(threadIdx.x),
      step = expr(gridDim.x).mul(blockDim.x);
    forRange(
      first,
      c.shape[0],
      null,
      (i, carried) => {
        c.at(i).store(expr(a.at(i).load()).add(b.at(i).load()));
        return carried;
      },
      { step },
    );
  }),
);

const spec = tensorSpec("f32", [1000]);

/** What the host would pass. */
export const compiled = (): readonly Compiled[] => [add.compile(spec, spec, spec), addExplicit.compile(spec, spec, spec)];
