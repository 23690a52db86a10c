/**
 * Products of one warp by `mma.sync`, as intrinsics: `mma_load_a`, `mma_load_b`, `mma_sync`, `mma_fill`, `mma_store` and the others. One is 16 rows,
 * 16 columns and 32 bytes along K: two instructions of 8 columns, whose A and B are one `ldmatrix` of four matrices each. Elements of 16 bits are
 * transposed on the way where the operand lies the other way; of others the threads load what they hold. PTX ISA 9.7.14.5.
 */

import { elementBytes } from "../../base/element-types.ts";
import type { TensorObject } from "../../dsl/emit.ts";
import {
  asWarp,
  convertTo,
  currentTrace,
  DotOperandLayout,
  type Layout,
  MMALayout,
  SharedViewObject,
  tile,
} from "../../dsl/emit.ts";
import { defineProducts, productsOf, type View, type WarpProduct } from "./warp-products.ts";

const sums = new MMALayout({ warps: [1, 1] });
const operandOf = (use: "a" | "b", { input }: WarpProduct): Layout =>
  new DotOperandLayout({
    parent: sums,
    operand: use === "a" ? "A" : "B",
    kWidth: (4 / elementBytes[input]) as 1 | 2 | 4,
  });

/** Each warp has tiles of its own. */
const inWarp = <T>(run: () => T): T => asWarp(currentTrace("an intrinsic of mma.sync"), run);

function load(view: View, shape: readonly [number, number], layout: Layout): unknown {
  const given: unknown = view;
  return inWarp(() =>
    given instanceof SharedViewObject
      ? given.load(layout)
      : (given as TensorObject).loadTile([0, 0], shape, layout, { mask: false }),
  );
}

export const mmaFamily = defineProducts({
  prefix: "mma",
  products: productsOf({ i8: 32 }),
  load: (use, view, product) => {
    const [m, n, k] = product.shape;
    return load(view, use === "a" ? [m, k] : [k, n], operandOf(use, product));
  },
  loadSums: (view, { shape: [m, n] }) => load(view, [m, n], sums),
  // A staged number stands for one.
  zeros: ({ sum, shape: [m, n] }) => inWarp(() => tile.full([m, n], convertTo(sum, 0) as unknown as number, sums)),
  multiply: (a, b, c) => inWarp(() => tile.dot(a as number, b as number, c as number)),
  store: (value, view) => {
    const given: unknown = view;
    inWarp(() => {
      if (given instanceof SharedViewObject) given.store(value as number);
      else (given as TensorObject).storeTile([0, 0], value as number, { mask: false });
    });
  },
});
