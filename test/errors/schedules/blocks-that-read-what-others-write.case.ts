// Lets each block sum up a row, and one loop that is not bound read all the sums.
import { tensorSpec } from "warpsmith";
import { block, type Buffer, bind, grid, init, program, programKernel, reduce, spatial } from "warpsmith/schedule";

const scaled = program({ X: [8, 8], S: [8], Z: [8] }, function scaled(X: Buffer<"f32", 2>, S: Buffer<"f32", 1>, Z: Buffer<"f32", 1>) {
  for (const i of bind("blockIdx.x", 8))
    for (const k of grid(8))
      block("sum", { vi: spatial(i), vk: reduce(k) }, ({ vi, vk }) => {
        init(() => {
          S[vi] = 0;
        });
        S[vi] += X[vi][vk];
      });
  for (const i of grid(8))
    block("scale", { vi: spatial(i) }, ({ vi }) => {
      Z[vi] = S[vi] * 2; // error: W5580
    });
});

export const run = () => programKernel(scaled).compile(tensorSpec("f32", [8, 8]), tensorSpec("f32", [8]), tensorSpec("f32", [8]));
