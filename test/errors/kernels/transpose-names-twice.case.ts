// Names a dimension twice in transpose.
import { kernel, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(y: Tensor<"f32", 2>) {
  const t = y.transpose(0, 0); // error: W3009
  t[0][threadIdx.x] = 0;
});

export const run = () => wrong.compile(tensorSpec("f32", [64, 32]));
