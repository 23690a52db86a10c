// Loads the matrix of a warp from a tile.
import { kernel, type Tensor, tensorSpec, WMMAMatrix } from "warpsmith";

const wrong = kernel({ block: 32 }, function wrong(x: Tensor<"f16", 2>, d: Tensor<"f32", 2>) {
  const t = x.loadTile([0, 0], [16, 16]);
  const A = WMMAMatrix.load("a", t as never); // error: W6308
  WMMAMatrix.load("c", d).mma(A, A).store(d);
});

export const run = () => wrong.compile(tensorSpec("f16", [16, 16]), tensorSpec("f32", [16, 16]));
