/** Products of one warp by `wmma`, as intrinsics: `wmma_load_a`, `wmma_load_b`, `wmma_sync`, `wmma_fill`, `wmma_store` and the others. PTX ISA 9.7.14.4. */
import { type WMMAAccumulator, WMMAMatrix, type WMMAOperand } from "../../dsl/emit.ts";
import { defineProducts } from "./warp-products.ts";

export const wmmaFamily = defineProducts({
  prefix: "wmma",
  products: [
    { input: "f16", sum: "f32", shape: [16, 16, 16], ending: "" },
    { input: "f16", sum: "f16", shape: [16, 16, 16], ending: "_f16" },
    { input: "bf16", sum: "f32", shape: [16, 16, 16], ending: "_bf16" },
    { input: "i8", sum: "i32", shape: [16, 16, 16], ending: "_i8" },
    { input: "tf32", sum: "f32", shape: [16, 16, 8], ending: "_tf32" },
  ],
  load: (use, view, { shape }) => WMMAMatrix.load(use, view, { shape }),
  loadSums: (view, { shape }) => WMMAMatrix.load("c", view, { shape }),
  zeros: ({ sum, shape }) => WMMAMatrix.accumulator(sum, shape),
  multiply: (a, b, c) => (c as WMMAAccumulator).mma(a as WMMAOperand, b as WMMAOperand),
  store: (sums, view) => (sums as WMMAAccumulator).store(view),
});
