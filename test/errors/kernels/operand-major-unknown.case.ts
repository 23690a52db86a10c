// Says which dimension of an operand has neighbours in memory by another word.
import { kernel, sharedMemory, WGMMAMatrix } from "warpsmith";

const wrong = kernel({ block: 128, grid: 1 }, function wrong() {
  const a = sharedMemory.alloc("f16", [64, 64], { swizzle: "128B" });
  WGMMAMatrix.descriptor(a, [64, 64], { major: "K" as "k" }); // error: W3025
});

export const run = () => wrong.compile();
