// Sums into registers of a thread, without the init.
import { tensorSpec } from "warpsmith";
import { alloc, type Buffer, block, grid, program, programKernel, reduce } from "warpsmith/schedule";

const wrong = program({ X: [64], Z: [1] }, function wrong(X: Buffer<"f32", 1>, Z: Buffer<"f32", 1>) {
  const t = alloc("f32", [1], "local");
  for (const k of grid(64))
    block("sum", { vk: reduce(k) }, ({ vk }) => {
      t[0] += X[vk]; // error: W5609
    });
  Z[0] = t[0];
});

export const run = () => programKernel(wrong).compile(tensorSpec("f32", [64]), tensorSpec("f32", [1]));
