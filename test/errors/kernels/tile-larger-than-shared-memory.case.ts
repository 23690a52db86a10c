// A tile to shared memory that is smaller.
import { kernel, sharedMemory, type Tensor, tensorSpec } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(x: Tensor<"f32", 2>) {
  const s = sharedMemory.alloc("f32", [16, 16]);
  s.store(x.loadTile([0, 0], [16, 32])); // error: W6119
});

export const run = () => wrong.compile(tensorSpec("f32", [64, 64]));
