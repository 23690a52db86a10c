// Asks for an alignment of 48 bytes.
import { kernel, sharedMemory, type Tensor, tensorSpec } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(x: Tensor<"f32", 1>) {
  const tile = sharedMemory.alloc("f32", [64], { align: 48 }); // error: W3015
  x[0] = tile[0];
});

export const run = () => wrong.compile(tensorSpec("f32", [128]));
