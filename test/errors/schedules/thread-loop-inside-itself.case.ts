// Puts a loop for an index of threads into another one that what is in it depends on.
import { tensorSpec } from "warpsmith";
import { type Buffer, bind, program, programKernel } from "warpsmith/schedule";

const clear = program({ Z: [16] }, function clear(Z: Buffer<"f32", 1>) {
  for (const i of bind("threadIdx.x", 16)) Z[i] = 0; // error: W5599
});

export const run = () => {
  const { body } = clear;
  if (body.kind !== "for") throw new Error("no loop");
  programKernel({ ...clear, body: { ...body, body } }).compile(tensorSpec("f32", [16]));
};
