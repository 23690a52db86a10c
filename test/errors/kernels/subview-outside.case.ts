// Takes a part that lies outside the shared tile.
import { kernel, sharedMemory, type Tensor, tensorSpec } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(y: Tensor<"f32", 2>) {
  const tile = sharedMemory.alloc("f32", [64, 32]);
  const part = tile.subview([60, 0], [8, 32]); // error: W3011
  y[0][0] = part[0][0];
});

export const run = () => wrong.compile(tensorSpec("f32", [64, 32]));
