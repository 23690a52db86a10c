// Adds a tile of bytes to shared memory.
import { kernel, sharedMemory, type Tensor, tensorSpec } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(x: Tensor<"u8", 1>) {
  const s = sharedMemory.alloc("u8", [512]);
  s.reduce("add", x.loadTile([0], [512])); // error: W3020
});

export const run = () => wrong.compile(tensorSpec("u8", [512]));
