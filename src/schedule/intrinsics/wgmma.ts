/**
 * Products of a warpgroup, as intrinsics: 64 rows of A, 64 of K, and N columns, out of shared memory with swizzle "128B". `wgmma_sync_128`
 * is that of f16 that sums in f32 and takes B as `[n, k]`; `_row` takes it as `[k, n]`. `wgmma_fill_128`, `wgmma_store_128` (to global
 * memory) go with it. Others say in their names of which types they are. Those of other shapes are families. PTX ISA 9.7.15.
 */

import type { DType } from "../../base/types.ts";
import type { AccumulatorType } from "../../dsl/emit.ts";
import { tensorIntrinsic } from "./registry.ts";
import { fillParts, storeParts, syncParts } from "./wgmma-parts.ts";

/** Rows of A, and elements of a row of shared memory, that one product takes. */
const rows = 64;
const depth = 64;
/** Columns of B. */
const widths = [64, 128, 256] as const;
const types: readonly { readonly input: DType; readonly sum: AccumulatorType; readonly ending: string }[] = [
  { input: "f16", sum: "f32", ending: "" },
  { input: "f16", sum: "f16", ending: "_f16" },
  { input: "bf16", sum: "f32", ending: "_bf16" },
];

for (const { input, sum, ending } of types) {
  for (const columns of widths) {
    const shape = [rows, columns] as const;
    const [fill, store] = [`wgmma_fill_${columns}${ending}`, `wgmma_store_${columns}${ending}`];
    const beside = [fill, store];
    tensorIntrinsic(fill, { ...fillParts(fill, sum, shape), beside });
    tensorIntrinsic(store, { ...storeParts(store, sum, shape), beside });
    for (const lines of ["row", "col"] as const) {
      const name = `wgmma_sync_${columns}${lines === "row" ? "_row" : ""}${ending}`;
      const product = { input, sum, m: rows, n: columns, k: depth, lines: ["row", lines] } as const;
      tensorIntrinsic(name, { ...syncParts(name, product), beside });
    }
  }
}
