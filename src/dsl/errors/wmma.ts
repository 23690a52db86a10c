import { defineErrors } from "../../base/diag/index.ts";

/** W63xx: matrices of one warp. */
export const wmmaErrors = defineErrors({
  W6301: {
    message: (a: { use: string; dtype: string; shape: string }) =>
      `wmma has no ${a.use} of ${a.dtype} in a product of shape [${a.shape}]`,
    fix: (a) =>
      `${a.shape.split(",").length === 3 ? "" : "the shape is that of the whole product, [M, N, K], for the accumulator, too: `[16, 16, 16]`. "}f16, bf16, i8 and u8 have the shapes [16, 16, 16], [32, 8, 16] and [8, 32, 16], tf32 [16, 16, 8] and f64 [8, 8, 4]; C is f16 or f32 for f16, i32 for integers, f64 for f64, and else f32`,
  },
  W6302: {
    message: (a: { use: string; wanted: string; given: string }) =>
      `${a.use} of this product is [${a.wanted}], and the view is [${a.given}]`,
    fix: (a) => `take a part of that shape: \`view.subview([row, column], [${a.wanted}])\``,
  },
  W6304: {
    message: (a: { a: string; b: string; c: string }) => `wmma has no product of ${a.a} and ${a.b} that is added to ${a.c}`,
    fix: () =>
      "use one shape for all three and one type for A and B; C is f16 or f32 for f16, i32 for integers, f64 for f64, and else f32",
  },
  W6305: {
    message: (a: { what: string; wanted: string; given: string }) => `${a.what} takes ${a.wanted}, not ${a.given}`,
    fix: () =>
      'A and B come from `WMMAMatrix.load("a", …)` and `WMMAMatrix.load("b", …)`, C from `WMMAMatrix.accumulator(…)`, `WMMAMatrix.load("c", …)` or a product',
  },
  W6306: {
    message: (a: { from: string; to: string }) => `a matrix of ${a.from} cannot be stored as ${a.to}`,
    fix: (a) =>
      a.to === "f16" || a.to === "f32"
        ? `convert it first: \`D.convert("${a.to}").store(view)\``
        : `store it to shared memory of ${a.from}, and convert its elements from there`,
  },
  W6307: {
    message: (a: { threads: number }) =>
      `a warp of 32 threads multiplies matrices together, and a block of ${a.threads} threads has one that is not whole`,
    fix: () => "give the block a multiple of 32 threads",
  },
  W6308: {
    message: (a: { given: string }) => `${a.given} is no view of a matrix in this kernel`,
    fix: () =>
      "give a tensor, what `sharedMemory.alloc` or `sharedMemory.dynamic` made, or a part of those: `view.subview([row, column], shape)`",
  },
  W6309: {
    message: (a: { from: string; to: string }) => `wmma has no ${a.from} in ${a.to}`,
    fix: () =>
      'convert matrices of f16, f32 and i32 to "f16" or "f32"; for another type store it to shared memory, and load a tile from there: `view.load()`',
  },
});
