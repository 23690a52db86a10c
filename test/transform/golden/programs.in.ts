import { kernel, type Tensor } from "warpsmith";
import { alloc, block, type Buffer as B, grid, init, program as define, reduce, spatial } from "warpsmith/schedule";
import * as schedule from "warpsmith/schedule";

type Half = B<"f16", 2>;

export const sum = define({ X: [16, 16], Z: [16] }, function sum(X: Half, Z: B<"f32", 1>) {
  const t = alloc("f32", [16]);
  for (const [i, k] of grid(16, 16))
    block("sum", { vi: spatial(i), vk: reduce(k) }, ({ vi, vk }) => {
      init(() => {
        t[vi] = 0;
      });
      t[vi] += X[vi][vk];
    });
  for (const i of grid(16)) Z[i] = t[i];
});

export const all = schedule.program((X: schedule.Buffer<"f32", 1>) => {
  X[0] = 1;
});

export const fill = kernel({ block: 1 }, function fill(x: Tensor<"f32", 1>) {
  x[0] = 1;
});
