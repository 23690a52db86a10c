// Assigns a tile to one element of shared memory.
import { kernel, sharedMemory, type Tensor, tensorSpec } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(x: Tensor<"f32", 1>) {
  const s = sharedMemory.alloc("f32", [512]);
  s[0] = x.loadTile([0], [512]); // error: W2010
});

export const run = () => wrong.compile(tensorSpec("f32", [512]));
