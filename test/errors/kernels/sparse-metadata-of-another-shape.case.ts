// Metadata for a matrix that is half as deep.
import { kernel, sharedMemory, type Tensor, tensorSpec, WGMMAMatrix } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(metadata: Tensor<"u16", 2>) {
  const a = sharedMemory.alloc("f16", [64, 64], { swizzle: "128B" });
  void WGMMAMatrix.sparse(a, metadata); // error: W6127
});

export const run = () => wrong.compile(tensorSpec("u16", [64, 4]));
