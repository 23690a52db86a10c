/**
 * Products of a warpgroup, as intrinsics: 64 rows of A, 64 of K, and N columns, out of shared memory with swizzle "128B". `wgmma_sync_128`
 * is that of f16 that sums in f32 and takes B as `[n, k]`; `_row` takes it as `[k, n]`. `wgmma_fill_128`, `wgmma_store_128` (to global
 * memory) go with it. Others say in their names of which types they are. PTX ISA 9.7.15.
 */
import type { SharedView, Tensor } from "../../dsl/memory/index.ts";
import { type Accumulator, type AccumulatorType, WGMMAMatrix } from "../../dsl/wgmma/index.ts";
import type { DType } from "../../types.ts";
import { constant } from "../ir/build.ts";
import type { Buffer, Expr } from "../ir/types.ts";
import { copyOf, describe, type Lines, part, productOf, store } from "./describe.ts";
import { type RegisterTile, tensorIntrinsic } from "./registry.ts";

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

/** Shared memory as wgmma takes it. */
const swizzled = (name: string, dtype: DType, shape: readonly number[]): Buffer => ({
  ...part(name, dtype, shape, "shared"),
  swizzle: "128B",
});

function define(columns: number, { input, sum, ending }: (typeof types)[number]): void {
  const shape = [rows, columns] as const;
  const tile = (name: string): Buffer => part(name, sum, shape, "wgmma.accumulator");
  const names = {
    fill: `wgmma_fill_${columns}${ending}`,
    store: `wgmma_store_${columns}${ending}`,
    sync: (lines: Lines) => `wgmma_sync_${columns}${lines === "row" ? "_row" : ""}${ending}`,
  };
  const beside = [names.fill, names.store];
  const common = { participants: "warpgroup" as const };

  const filled = tile("C");
  const dimensions = [
    { name: "i", extent: rows },
    { name: "j", extent: columns },
  ];
  tensorIntrinsic(names.fill, {
    ...common,
    beside,
    description: describe(names.fill, [filled], dimensions, (...v) => store(filled, v as readonly Expr[], constant(0, sum))),
    implementation: (c: RegisterTile) => {
      c.value = WGMMAMatrix.accumulator(sum, shape);
    },
  });

  tensorIntrinsic(names.store, {
    ...common,
    beside,
    description: copyOf(names.store, tile("tile"), part("target", sum, shape, "global"), shape),
    implementation: (from: RegisterTile, view: Tensor) => (from.value as Accumulator).store(view),
  });

  for (const lines of ["row", "col"] as const) {
    const name = names.sync(lines);
    const parts = {
      a: swizzled("A", input, [rows, depth]),
      b: swizzled("B", input, lines === "row" ? [depth, columns] : [columns, depth]),
      c: tile("C"),
    };
    tensorIntrinsic(name, {
      ...common,
      beside,
      proxy: "async",
      description: productOf(name, parts, [rows, columns, depth], ["row", lines]),
      implementation: (a: SharedView, b: SharedView, c: RegisterTile) => {
        const left = WGMMAMatrix.descriptor(a, [rows, depth]);
        const right = WGMMAMatrix.descriptor(lines === "row" ? b : b.transpose(), [depth, columns]);
        c.value = (c.value as Accumulator).mma(left, right, { wait: 0 });
      },
    });
  }
}

for (const type of types) for (const columns of widths) define(columns, type);
