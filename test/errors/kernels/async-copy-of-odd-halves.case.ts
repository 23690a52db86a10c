// Copies a tile of f16 whose rows begin at odd places of the tensor.
import { asyncCopy, kernel, sharedMemory, type Tensor, tensorSpec } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(x: Tensor<"f16", 2>) {
  const tile = sharedMemory.alloc("f16", [16, 64]);
  asyncCopy.load(tile, x.subview([0, 1], [16, 64])); // error: W3031
});

export const run = () => wrong.compile(tensorSpec("f16", [64, 128]));
