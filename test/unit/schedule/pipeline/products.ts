import { join } from "node:path";
import type { Program } from "../../../../src/schedule/ir/types.ts";

type Shape = readonly [m: number, n: number, k: number];
type Of = (shape: Shape) => Program;

/** The programs of the example. */
export const products = (await import(
  /* @vite-ignore */ join(import.meta.dirname, "../../../../examples/schedule/tensor-core-pipeline/products.ts")
)) as {
  readonly adding: Of;
  readonly transposed: Of;
  readonly ofBf16: Of;
  readonly ofTf32: Of;
  readonly ofI8: Of;
  readonly fused: (shape: Shape, fusion: string) => Program;
  readonly batched: (batch: number, shape: Shape) => Program;
};
