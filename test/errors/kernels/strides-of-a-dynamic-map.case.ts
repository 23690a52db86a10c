// Asks for strides of a tensor map whose extents are the launch's.
import { kernel, type Tensor, TMA, tensorSpec, threadIdx } from "warpsmith";

const wrong = kernel({ block: 32, dynamic: { a: [0] } }, function wrong(a: TMA<"f16", 2>, out: Tensor<"i32", 1>) {
  const rows = a.shape[0];
  const pitch = a.tensor.strides[0]!; // error: W7670
  if (threadIdx.x === 0) out[0] = rows * pitch;
});

export const run = () => wrong.compile(new TMA(tensorSpec("f16", [64, 64]), { box: [8, 64] }), tensorSpec("i32", [1]));
