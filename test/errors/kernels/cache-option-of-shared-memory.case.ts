// Gives a load from shared memory a cache option.
import { kernel, sharedMemory, type Tensor, tensorSpec } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(x: Tensor<"f32", 1>) {
  const tile = sharedMemory.alloc("f32", [128]);
  x[0] = tile.at(0).load({ cache: "cg" }); // error: W3022
});

export const run = () => wrong.compile(tensorSpec("f32", [128]));
