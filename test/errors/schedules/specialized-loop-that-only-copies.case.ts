// Annotates a loop as specialized that does nothing but copy.
import { tensorSpec } from "warpsmith";
import { alloc, type Buffer, intrinsic, program, programKernel, serial } from "warpsmith/schedule";

const copies = program({ A: [64, 256] }, function copies(A: Buffer<"f16", 2>) {
  const a = alloc("f16", [64, 64], "shared", { swizzle: "128B" });
  for (const k of serial(4, { warpSpecialize: 2 })) // error: W5576
    intrinsic("tma_load_f16_64x64_128B", A.region([0, 64], [k * 64, 64]), a.region([0, 64], [0, 64]));
});

export const run = () => programKernel(copies).compile(tensorSpec("f16", [64, 256]));
