// Registers an intrinsic under a name that one has.
import { type Buffer, grid, program, tensorIntrinsic } from "warpsmith/schedule";

const description = program({ X: [16] }, function clear(X: Buffer<"f32", 1>) {
  for (const i of grid(16)) X[i] = 0;
});

export const run = () => tensorIntrinsic("wmma_fill", { description, participants: "warp", implementation: () => {} }); // error: W5593
