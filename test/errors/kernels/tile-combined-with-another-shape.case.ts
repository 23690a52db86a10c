// Adds a tile to shared memory of another shape.
import { kernel, sharedMemory, type Tensor, tensorSpec } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(x: Tensor<"f32", 1>) {
  const s = sharedMemory.alloc("f32", [1024]);
  s.reduce("add", x.loadTile([0], [512])); // error: W6119
});

export const run = () => wrong.compile(tensorSpec("f32", [512]));
