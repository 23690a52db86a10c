// Misspells the option of a scan.
import { kernel, type Tensor, tensorSpec, threadIdx, warp } from "warpsmith";

const wrong = kernel({ block: 32, grid: 1 }, function wrong(x: Tensor<"f32", 1>) {
  const options = { exklusive: 0 } as { exclusive: number };
  x[threadIdx.x] = warp.scan(x[threadIdx.x]!, (a, b) => a + b, options); // error: W2601
});

export const run = () => wrong.compile(tensorSpec("f32", [32]));
