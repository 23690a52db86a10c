// Reads registers in twice as many threads as have filled theirs.
import { tensorSpec } from "warpsmith";
import { alloc, type Buffer, bind, block, program, programKernel, spatial } from "warpsmith/schedule";

const wrong = program({ X: [64], Z: [64] }, function wrong(X: Buffer<"f32", 1>, Z: Buffer<"f32", 1>) {
  const t = alloc("f32", [64], "local");
  for (const i of bind("threadIdx.x", 32))
    block("fill", { vi: spatial(i) }, ({ vi }) => {
      t[vi] = X[vi];
    });
  for (const i of bind("threadIdx.x", 64))
    block("use", { vi: spatial(i) }, ({ vi }) => {
      Z[vi] = t[vi]; // error: W5609
    });
});

export const run = () => programKernel(wrong).compile(tensorSpec("f32", [64]), tensorSpec("f32", [64]));
