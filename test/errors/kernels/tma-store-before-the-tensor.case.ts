// Stores a box that begins before the tensor.
import { kernel, sharedMemory, TMA, tensorSpec } from "warpsmith";

const wrong = kernel({ block: 32 }, function wrong(y: TMA<"f32", 2>) {
  const tile = sharedMemory.alloc("f32", [8, 32]);
  y.store(tile, [0, -3]); // error: W4519
});

export const run = () => wrong.compile(new TMA(tensorSpec("f32", [64, 64]), { box: [8, 32] }));
