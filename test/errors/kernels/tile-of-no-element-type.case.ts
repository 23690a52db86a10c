// Converts a tile to a type that does not exist.
import { kernel, type Tensor, tensorSpec, WGMMAMatrix } from "warpsmith";

const wrong = kernel({ block: 128, grid: 1 }, function wrong(x: Tensor<"f32", 2>) {
  WGMMAMatrix.load(x)
    .convert("float" as "f32") // error: W3026
    .store(x);
});

export const run = () => wrong.compile(tensorSpec("f32", [64, 64]));
