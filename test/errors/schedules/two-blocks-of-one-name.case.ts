// Gives two blocks one name.
import { block, type Buffer, grid, program, spatial } from "warpsmith/schedule";

export const run = () =>
  program({ X: [16], Z: [16, 16] }, function wrong(X: Buffer<"f32", 1>, Z: Buffer<"f32", 2>) {
    for (const i of grid(16))
      block("b", { vi: spatial(i) }, ({ vi }) => {
        X[vi] = 0;
      });
    for (const j of grid(16))
      block("b", { vj: spatial(j) }, ({ vj }) => { // error: W5515
        X[vj] = 1;
      });
  });
