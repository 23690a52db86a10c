// Loads A by rows for a product that takes it by columns.
import { tensorSpec } from "warpsmith";
import { alloc, type Buffer, intrinsic, program, programKernel } from "warpsmith/schedule";

const wrong = program({ X: [16, 16], Z: [16, 16] }, function wrong(X: Buffer<"f16", 2>, Z: Buffer<"f32", 2>) {
  const A = alloc("f16", [16, 16], "wmma.matrix_a");
  const B = alloc("f16", [16, 16], "wmma.matrix_b");
  const C = alloc("f32", [16, 16], "wmma.accumulator");
  intrinsic("wmma_fill", C.region([0, 16], [0, 16]));
  intrinsic("wmma_load_a_global", X.region([0, 16], [0, 16]), A.region([0, 16], [0, 16]));
  intrinsic("wmma_load_b_global", X.region([0, 16], [0, 16]), B.region([0, 16], [0, 16]));
  intrinsic("wmma_sync_col_col", A.region([0, 16], [0, 16]), B.region([0, 16], [0, 16]), C.region([0, 16], [0, 16])); // error: W5607
  intrinsic("wmma_store", C.region([0, 16], [0, 16]), Z.region([0, 16], [0, 16]));
});

export const run = () => programKernel(wrong).compile(tensorSpec("f16", [16, 16]), tensorSpec("f32", [16, 16]));
