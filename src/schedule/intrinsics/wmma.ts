/**
 * Matrices of one warp, as intrinsics: loads of A and B, products, zeros, stores. `wmma_load_a`, `wmma_load_b`, `wmma_sync`, `wmma_fill`
 * and `wmma_store` are those of f16 that sum in f32, A by rows and B by columns (`[n, k]`) in shared memory, C in global memory. Others say
 * in their names how they differ: `_row`, `_col` (how B, or A, lies), `_global`, `_shared`, and types. PTX ISA 9.7.14.
 */
import type { SharedView, Tensor } from "../../dsl/memory/index.ts";
import { failHere } from "../../dsl/trace/fail-here.ts";
import { type WMMAAccumulator, type WMMAAccumulatorType, WMMAMatrix, type WMMAOperand } from "../../dsl/wmma/index.ts";
import type { DType } from "../../types.ts";
import { constant } from "../ir/build.ts";
import type { Expr, Scope } from "../ir/types.ts";
import { copyOf, describe, type Lines, part, productOf, store } from "./describe.ts";
import { type RegisterTile, tensorIntrinsic } from "./registry.ts";

type View = SharedView | Tensor;
type Shape = readonly [number, number, number];

/** The products that there are: what A and B are of, what is summed in, m, n and k, and how their names end. */
export interface WMMAProduct {
  readonly input: DType;
  readonly sum: WMMAAccumulatorType;
  readonly shape: Shape;
  readonly ending: string;
}
const products: readonly WMMAProduct[] = [
  { input: "f16", sum: "f32", shape: [16, 16, 16], ending: "" },
  { input: "f16", sum: "f16", shape: [16, 16, 16], ending: "_f16" },
  { input: "bf16", sum: "f32", shape: [16, 16, 16], ending: "_bf16" },
  { input: "i8", sum: "i32", shape: [16, 16, 16], ending: "_i8" },
  { input: "tf32", sum: "f32", shape: [16, 16, 8], ending: "_tf32" },
];

const lines = ["row", "col"] as const;
/** What a name says of the usual case: nothing. */
const unless = <T extends string>(usual: T, is: T): string => (is === usual ? "" : `_${is}`);

/** The matrix of a product, where its lines lie the other way. */
const turned = (view: View, as: Lines, usual: Lines): View => (as === usual ? view : view.transpose());

type Product = WMMAProduct;
/** The products of operands of a type that sum in another; undefined where the tensor cores have none. */
export const wmmaProductOf = (input: DType, sum: DType): WMMAProduct | undefined =>
  products.find((p) => p.input === input && p.sum === sum);
/** The types of operands that there are products of. */
export const wmmaInputs = (): readonly DType[] => [...new Set(products.map((p) => p.input))];
// The type of the sums says nothing of A and B: those of f16 are there once.
const operandEnding = ({ ending }: Product): string => (ending === "_f16" ? "" : ending);
const loadName = (use: "a" | "b", as: Lines, product: Product, from: "shared" | "global" = "shared"): string =>
  `wmma_load_${use}${unless<Lines>(use === "a" ? "row" : "col", as)}${unless<string>("shared", from)}${operandEnding(product)}`;
const syncName = (linesA: Lines, linesB: Lines, { ending }: Product): string =>
  `wmma_sync${linesA === "row" && linesB === "col" ? "" : `_${linesA}_${linesB}`}${ending}`;
/** What surrounds a product. */
const around = (linesA: Lines, linesB: Lines, product: Product): readonly string[] => [
  loadName("a", linesA, product),
  loadName("b", linesB, product),
  `wmma_fill${product.ending}`,
  syncName(linesA, linesB, product),
  `wmma_store${product.ending}`,
];

/** The operand of a product, which lies as its load has said. W5607. */
function operand(name: string, use: "A" | "B", tile: RegisterTile, as: Lines): WMMAOperand {
  const value = tile.value as WMMAOperand & { readonly type: { readonly major?: Lines } };
  if (value.type.major !== as)
    failHere("W5607", { name, use, wanted: linesText[as], given: linesText[as === "row" ? "col" : "row"] });
  return value;
}
const linesText = { row: "rows", col: "columns" } as const;

function defineLoad(use: "a" | "b", from: "shared" | "global", as: Lines, product: Product): void {
  const { input, shape } = product;
  const [m, n, k] = shape;
  const rows = use === "a" ? m : n;
  // A by rows is [m, k], B by columns is [n, k]: k comes last.
  const last = (use === "a") === (as === "row");
  const extents = last ? ([rows, k] as const) : ([k, rows] as const);
  const name = loadName(use, as, product, from);
  const source = part("source", input, extents, from);
  const tile = part("tile", input, extents, use === "a" ? "wmma.matrix_a" : "wmma.matrix_b");
  tensorIntrinsic(name, {
    description: copyOf(name, source, tile, extents),
    participants: "warp",
    beside: use === "a" ? around(as, "col", product) : around("row", as, product),
    implementation: (view: View, to: RegisterTile) => {
      to.value = WMMAMatrix.load(use, turned(view, as, "row"), { shape });
    },
  });
}

function defineSync(linesA: Lines, linesB: Lines, product: Product): void {
  const { input, sum, shape } = product;
  const [m, n, k] = shape;
  const name = syncName(linesA, linesB, product);
  const parts = {
    a: part("A", input, linesA === "row" ? [m, k] : [k, m], "wmma.matrix_a"),
    b: part("B", input, linesB === "row" ? [k, n] : [n, k], "wmma.matrix_b"),
    c: part("C", sum, [m, n], "wmma.accumulator"),
  };
  tensorIntrinsic(name, {
    description: productOf(name, parts, shape, [linesA, linesB]),
    participants: "warp",
    beside: around(linesA, linesB, product),
    implementation: (a: RegisterTile, b: RegisterTile, c: RegisterTile) => {
      c.value = (c.value as WMMAAccumulator).mma(operand(name, "A", a, linesA), operand(name, "B", b, linesB));
    },
  });
}

const dimensions = ([m, n]: Shape) => [
  { name: "i", extent: m },
  { name: "j", extent: n },
];

function defineFill({ sum, shape, ending }: (typeof products)[number]): void {
  const name = `wmma_fill${ending}`;
  const tile = part("C", sum, [shape[0], shape[1]], "wmma.accumulator");
  tensorIntrinsic(name, {
    description: describe(name, [tile], dimensions(shape), (i, j) => store(tile, [i, j] as readonly Expr[], constant(0, sum))),
    participants: "warp",
    implementation: (c: RegisterTile) => {
      c.value = WMMAMatrix.accumulator(sum, shape);
    },
  });
}

const sumsName = (what: "load_c" | "store", where: "shared" | "global", { ending }: Product): string =>
  `wmma_${what}${unless<string>("global", where)}${ending}`;

/** The names of the intrinsics that a product is made with. Of operands and of sums in that memory. */
export const wmmaNames = (product: WMMAProduct, [linesA, linesB]: readonly [Lines, Lines]) => ({
  loadA: (from: "shared" | "global"): string => loadName("a", linesA, product, from),
  loadB: (from: "shared" | "global"): string => loadName("b", linesB, product, from),
  sync: syncName(linesA, linesB, product),
  fill: `wmma_fill${product.ending}`,
  loadC: (from: "shared" | "global"): string => sumsName("load_c", from, product),
  store: (to: "shared" | "global"): string => sumsName("store", to, product),
});

function defineLoadSums(from: "shared" | "global", product: Product): void {
  const { sum, shape } = product;
  const name = sumsName("load_c", from, product);
  const extents = [shape[0], shape[1]] as const;
  const source = part("source", sum, extents, from);
  const tile = part("tile", sum, extents, "wmma.accumulator");
  tensorIntrinsic(name, {
    description: copyOf(name, source, tile, extents),
    participants: "warp",
    beside: around("row", "col", product),
    implementation: (view: View, to: RegisterTile) => {
      to.value = WMMAMatrix.load("c", view, { shape });
    },
  });
}

function defineStore(to: "shared" | "global", product: Product): void {
  const { sum, shape } = product;
  const name = sumsName("store", to, product);
  const extents = [shape[0], shape[1]] as const;
  const tile = part("tile", sum, extents, "wmma.accumulator" satisfies Scope);
  const target = part("target", sum, extents, to);
  tensorIntrinsic(name, {
    description: copyOf(name, tile, target, extents),
    participants: "warp",
    implementation: (from: RegisterTile, view: View) => (from.value as WMMAAccumulator).store(view),
  });
}

for (const product of products) {
  for (const from of ["shared", "global"] as const) {
    for (const as of lines) {
      if (product.ending === "_f16") continue;
      defineLoad("a", from, as, product);
      defineLoad("b", from, as, product);
    }
    defineLoadSums(from, product);
    defineStore(from, product);
  }
  for (const linesA of lines) for (const linesB of lines) defineSync(linesA, linesB, product);
  defineFill(product);
}
