// Stores a tile in two of the four warps that hold it: half of it would be stored.
import { kernel, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(x: Tensor<"f32", 2>) {
  const t = x.loadTile([0, 0], [16, 128]);
  if (threadIdx.x < 64) x.storeTile([0, 0], t); // error: W2048
});

export const run = () => wrong.compile(tensorSpec("f32", [16, 128]));
