// Applies PTX to the elements of a tile, and does not say that it only computes.
import { kernel, ptx, type Tensor, tensorSpec } from "warpsmith";

const wrong = kernel({ block: 32, grid: 1 }, function wrong(x: Tensor<"f32", 1>) {
  x.storeTile([0], ptx("ex2.approx.f32 $0, $1;", { out: "f32" }, x.loadTile([0], [32]))); // error: W2814
});

export const run = () => wrong.compile(tensorSpec("f32", [32]));
