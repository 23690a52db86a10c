// Lets each thread keep an element in a register, and another one read it.
import { alloc, block, type Buffer, grid, program, Schedule, spatial } from "warpsmith/schedule";

const turned = program({ X: [64], Z: [64] }, function turned(X: Buffer<"f32", 1>, Z: Buffer<"f32", 1>) {
  const T = alloc("f32", [64], "local");
  for (const i of grid(64))
    block("make", { vi: spatial(i) }, ({ vi }) => {
      T[vi] = X[vi] * 2;
    });
  for (const i of grid(64))
    block("take", { vi: spatial(i) }, ({ vi }) => {
      Z[vi] = T[63 - vi];
    });
});

export const run = () => {
  const s = new Schedule(turned);
  const [i] = s.getLoops(s.getBlock("make"));
  const [j] = s.getLoops(s.getBlock("take"));
  s.bind(i, "threadIdx.x");
  s.bind(j, "threadIdx.x"); // error: W5527
};
