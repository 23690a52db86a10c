import { type Buffer, grid, program } from "warpsmith/schedule";

export const zero = program({ X: [16] }, (X: Buffer<"f32", 1>) => {
  for (const i of grid(16)) X[i] = 0;
});
