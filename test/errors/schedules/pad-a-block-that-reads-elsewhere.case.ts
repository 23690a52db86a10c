// Pads a block that reads its neighbours' elements.
import { block, type Buffer, grid, program, Schedule, spatial } from "warpsmith/schedule";

const blur = program({ X: [25], Z: [24] }, function blur(X: Buffer<"f32", 1>, Z: Buffer<"f32", 1>) {
  for (const i of grid(24))
    block("blur", { vi: spatial(i) }, ({ vi }) => {
      Z[vi] = (X[vi] + X[vi + 1]) / 2;
    });
});

export const run = () => {
  const s = new Schedule(blur);
  s.pad(s.getBlock("blur"), [16]); // error: W5542
};
