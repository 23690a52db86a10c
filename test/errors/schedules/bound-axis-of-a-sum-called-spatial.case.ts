// Calls the axis of a sum spatial in a program whose loops are bound to threads.
import { tensorSpec } from "warpsmith";
import { block, type Buffer, bind, program, programKernel, spatial } from "warpsmith/schedule";

const sum = program({ A: [64, 64], B: [64] }, function sum(A: Buffer<"f32", 2>, B: Buffer<"f32", 1>) {
  for (const i of bind("blockIdx.x", 64))
    for (const j of bind("threadIdx.x", 64))
      block("sum", { vi: spatial(i), vj: spatial(j) }, ({ vi, vj }) => {
        B[vi] += A[vi][vj]; // error: W5580
      });
});

export const run = () => programKernel(sum).compile(tensorSpec("f32", [64, 64]), tensorSpec("f32", [64]));
