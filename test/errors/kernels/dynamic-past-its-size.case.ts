// Uses more dynamic shared memory than the option smem says.
import { kernel, sharedMemory, type Tensor, tensorSpec } from "warpsmith";

const wrong = kernel({ block: 128, smem: 1024 }, function wrong(x: Tensor<"f32", 1>) {
  const tile = sharedMemory.dynamic("f32", [64, 64], { at: 0 }); // error: W3027
  x[0] = tile[0][0];
});

export const run = () => wrong.compile(tensorSpec("f32", [128]));
