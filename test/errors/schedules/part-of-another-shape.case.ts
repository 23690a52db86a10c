// Stores a tile to a part that is smaller.
import { tensorSpec } from "warpsmith";
import { alloc, type Buffer, intrinsic, program, programKernel } from "warpsmith/schedule";

const wrong = program({ Z: [16, 16] }, function wrong(Z: Buffer<"f32", 2>) {
  const C = alloc("f32", [16, 16], "wmma.accumulator");
  intrinsic("wmma_fill", C.region([0, 16], [0, 16]));
  intrinsic("wmma_store", C.region([0, 16], [0, 16]), Z.region([0, 8], [0, 16])); // error: W5602
});

export const run = () => programKernel(wrong).compile(tensorSpec("f32", [16, 16]));
