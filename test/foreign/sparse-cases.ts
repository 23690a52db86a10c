/** Launches of cuda/wgmma-sparse.cu: whole numbers, whose sums are exact. */
import type { ForeignCase } from "./foreign-case.ts";

const sparse = (type: string, a: string, b: string, result: "f32" | "i32"): ForeignCase => ({
  name: `wgmma-sparse-${type}`,
  source: "wgmma-sparse.cu",
  entry: `sparse_${type}`,
  grid: [1],
  block: [128],
  args: [a, b, "u32[128]:bits:112", `out=${result}[64x8]:zeros:out`, `registers=${result}[64x8]:zeros:out`],
});

export const sparseCases: readonly ForeignCase[] = [
  sparse("f16", "f16[64x16]:below=16:110", "f16[8x32]:below=16:111", "f32"),
  sparse("bf16", "bf16[64x16]:below=16:113", "bf16[8x32]:below=16:114", "f32"),
  sparse("tf32", "f32[64x8]:below=100:115", "f32[8x16]:below=100:116", "f32"),
  sparse("e4m3", "e4m3[64x32]:below=8:117", "e5m2[8x64]:below=8:118", "f32"),
  sparse("s8", "i8[64x32]:bits:119", "u8[8x64]:bits:120", "i32"),
];
