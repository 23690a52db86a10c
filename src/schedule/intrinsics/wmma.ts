/** Products of one warp by `wmma`, as intrinsics: `wmma_load_a`, `wmma_load_b`, `wmma_sync`, `wmma_fill`, `wmma_store` and the others. PTX ISA 9.7.14.4. */
import { type WMMAAccumulator, WMMAMatrix, type WMMAOperand } from "../../dsl/emit.ts";
import { defineProducts, productsOf } from "./warp-products.ts";

export const wmmaFamily = defineProducts({
  prefix: "wmma",
  products: productsOf({ i8: 16 }),
  load: (use, view, { shape }) => WMMAMatrix.load(use, view, { shape }),
  loadSums: (view, { shape }) => WMMAMatrix.load("c", view, { shape }),
  zeros: ({ sum, shape }) => WMMAMatrix.accumulator(sum, shape),
  multiply: (a, b, c) => (c as WMMAAccumulator).mma(a as WMMAOperand, b as WMMAOperand),
  store: (sums, view) => (sums as WMMAAccumulator).store(view),
});
