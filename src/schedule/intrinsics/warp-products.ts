/**
 * What products of one warp have in common as intrinsics, by whichever instruction: loads of A and B, products, zeros, loads and stores of
 * sums. `<instruction>_load_a`, `_load_b`, `_sync`, `_fill` and `_store` are those of f16 that sum in f32, A by rows and B by columns
 * (`[n, k]`) in shared memory, C in global memory. Others say in their names how they differ: `_row`, `_col` (how B, or A, lies), `_global`, `_shared`, and types.
 */

import type { DType } from "../../base/types.ts";
import type { SharedView, Tensor } from "../../dsl/emit.ts";
import { spansHere } from "../../dsl/emit.ts";
import { fail } from "../errors/index.ts";
import { constant } from "../ir/build.ts";
import type { Expr, Scope } from "../ir/types.ts";
import { copyOf, describe, type Lines, part, productOf, store } from "./describe.ts";
import { type RegisterTile, tensorIntrinsic } from "./registry.ts";

/** A part of memory that an intrinsic takes. */
export type View = SharedView | Tensor;
type Shape = readonly [m: number, n: number, k: number];
type Where = "shared" | "global";

/** A product that there is: what A and B are of, what is summed in, m, n and k, and how its names end. */
export interface WarpProduct {
  readonly input: DType;
  readonly sum: "f16" | "f32" | "i32";
  readonly shape: Shape;
  readonly ending: string;
}

/** The products that both instructions have, of 16 rows and columns. They differ in how many elements of i8 are along K. */
export const productsOf = (k: { readonly i8: number }): readonly WarpProduct[] => [
  { input: "f16", sum: "f32", shape: [16, 16, 16], ending: "" },
  { input: "f16", sum: "f16", shape: [16, 16, 16], ending: "_f16" },
  { input: "bf16", sum: "f32", shape: [16, 16, 16], ending: "_bf16" },
  { input: "i8", sum: "i32", shape: [16, 16, k.i8], ending: "_i8" },
  { input: "tf32", sum: "f32", shape: [16, 16, 8], ending: "_tf32" },
];

/** The products of one instruction, and how the kernel language does them. */
export interface ProductFamily {
  /** As names of intrinsics, and of the scopes of their registers, begin. */
  readonly prefix: "wmma" | "mma";
  readonly products: readonly WarpProduct[];
  /** A or B from a view of [m, k] or [k, n]. */
  readonly load: (use: "a" | "b", view: View, product: WarpProduct) => unknown;
  readonly loadSums: (view: View, product: WarpProduct) => unknown;
  readonly zeros: (product: WarpProduct) => unknown;
  readonly multiply: (a: unknown, b: unknown, c: unknown) => unknown;
  readonly store: (sums: unknown, view: View) => void;
}

/** An operand in registers, and how it lay in memory. */
interface Loaded {
  readonly value: unknown;
  readonly lines: Lines;
}

const lines = ["row", "col"] as const;
const linesText = { row: "rows", col: "columns" } as const;
/** What a name says of the usual case: nothing. */
const unless = <T extends string>(usual: T, is: T): string => (is === usual ? "" : `_${is}`);

/** The names of a product's intrinsics. */
class Names {
  readonly #prefix: string;
  readonly #product: WarpProduct;
  constructor({ prefix }: ProductFamily, product: WarpProduct) {
    this.#prefix = prefix;
    this.#product = product;
  }

  load(use: "a" | "b", as: Lines, from: Where = "shared"): string {
    const { ending } = this.#product;
    // The type of the sums says nothing of A and B: those of f16 are there once.
    const operand = ending === "_f16" ? "" : ending;
    const lies = unless<Lines>(use === "a" ? "row" : "col", as);
    return `${this.#prefix}_load_${use}${lies}${unless<Where>("shared", from)}${operand}`;
  }
  sync(linesA: Lines, linesB: Lines): string {
    const lies = linesA === "row" && linesB === "col" ? "" : `_${linesA}_${linesB}`;
    return `${this.#prefix}_sync${lies}${this.#product.ending}`;
  }
  get fill(): string {
    return `${this.#prefix}_fill${this.#product.ending}`;
  }
  loadC(from: Where): string {
    return `${this.#prefix}_load_c${unless<Where>("global", from)}${this.#product.ending}`;
  }
  store(to: Where): string {
    return `${this.#prefix}_store${unless<Where>("global", to)}${this.#product.ending}`;
  }
  /** What surrounds a product. */
  around(linesA: Lines, linesB: Lines): readonly string[] {
    return [this.load("a", linesA), this.load("b", linesB), this.fill, this.sync(linesA, linesB), this.store("global")];
  }
}

/** The names of the intrinsics that a product is made with. Of operands and of sums in that memory. */
export function productNames(family: ProductFamily, product: WarpProduct, [linesA, linesB]: readonly [Lines, Lines]) {
  const names = new Names(family, product);
  return {
    loadA: (from: Where): string => names.load("a", linesA, from),
    loadB: (from: Where): string => names.load("b", linesB, from),
    sync: names.sync(linesA, linesB),
    fill: names.fill,
    loadC: (from: Where): string => names.loadC(from),
    store: (to: Where): string => names.store(to),
  };
}

/** The products of operands of a type that sum in another; undefined where the instruction has none. */
export const warpProductOf = ({ products }: ProductFamily, input: DType, sum: DType): WarpProduct | undefined =>
  products.find((p) => p.input === input && p.sum === sum);
/** The types of operands that there are products of. */
export const inputsOf = ({ products }: ProductFamily): readonly DType[] => [...new Set(products.map((p) => p.input))];

/** One product of one instruction. */
class Definition {
  readonly #family: ProductFamily;
  readonly #product: WarpProduct;
  readonly #names: Names;
  constructor(family: ProductFamily, product: WarpProduct) {
    this.#family = family;
    this.#product = product;
    this.#names = new Names(family, product);
  }

  #scope(use: "matrix_a" | "matrix_b" | "accumulator"): Scope {
    return `${this.#family.prefix}.${use}`;
  }
  get #sumsShape(): readonly [number, number] {
    return [this.#product.shape[0], this.#product.shape[1]];
  }

  load(use: "a" | "b", from: Where, as: Lines): void {
    const product = this.#product;
    const [m, n, k] = product.shape;
    const rows = use === "a" ? m : n;
    // A by rows is [m, k], B by columns is [n, k]: k comes last.
    const last = (use === "a") === (as === "row");
    const extents = last ? ([rows, k] as const) : ([k, rows] as const);
    const name = this.#names.load(use, as, from);
    const source = part("source", product.input, extents, from);
    const tile = part("tile", product.input, extents, this.#scope(use === "a" ? "matrix_a" : "matrix_b"));
    tensorIntrinsic(name, {
      description: copyOf(name, source, tile, extents),
      participants: "warp",
      beside: use === "a" ? this.#names.around(as, "col") : this.#names.around("row", as),
      implementation: (view: View, to: RegisterTile) => {
        const lies = as === "row" ? view : view.transpose();
        to.value = { value: this.#family.load(use, lies, product), lines: as } satisfies Loaded;
      },
    });
  }

  sync(linesA: Lines, linesB: Lines): void {
    const { input, sum, shape } = this.#product;
    const [m, n, k] = shape;
    const name = this.#names.sync(linesA, linesB);
    const parts = {
      a: part("A", input, linesA === "row" ? [m, k] : [k, m], this.#scope("matrix_a")),
      b: part("B", input, linesB === "row" ? [k, n] : [n, k], this.#scope("matrix_b")),
      c: part("C", sum, [m, n], this.#scope("accumulator")),
    };
    /** The operand of the product, which lies as its load has said. W5607. */
    const operand = (use: "A" | "B", tile: RegisterTile, wanted: Lines): unknown => {
      const { value, lines: given } = tile.value as Loaded;
      return given === wanted
        ? value
        : fail("W5607", { name, use, wanted: linesText[wanted], given: linesText[given] }, spansHere());
    };
    tensorIntrinsic(name, {
      description: productOf(name, parts, shape, [linesA, linesB]),
      participants: "warp",
      beside: this.#names.around(linesA, linesB),
      implementation: (a: RegisterTile, b: RegisterTile, c: RegisterTile) => {
        c.value = this.#family.multiply(operand("A", a, linesA), operand("B", b, linesB), c.value);
      },
    });
  }

  fill(): void {
    const product = this.#product;
    const name = this.#names.fill;
    const tile = part("C", product.sum, this.#sumsShape, this.#scope("accumulator"));
    const [m, n] = this.#sumsShape;
    const dimensions = [
      { name: "i", extent: m },
      { name: "j", extent: n },
    ];
    tensorIntrinsic(name, {
      description: describe(name, [tile], dimensions, (i, j) => store(tile, [i, j] as readonly Expr[], constant(0, product.sum))),
      participants: "warp",
      implementation: (c: RegisterTile) => {
        c.value = this.#family.zeros(product);
      },
    });
  }

  loadSums(from: Where): void {
    const product = this.#product;
    const name = this.#names.loadC(from);
    const source = part("source", product.sum, this.#sumsShape, from);
    const tile = part("tile", product.sum, this.#sumsShape, this.#scope("accumulator"));
    tensorIntrinsic(name, {
      description: copyOf(name, source, tile, this.#sumsShape),
      participants: "warp",
      beside: this.#names.around("row", "col"),
      implementation: (view: View, to: RegisterTile) => {
        to.value = this.#family.loadSums(view, product);
      },
    });
  }

  storeSums(to: Where): void {
    const name = this.#names.store(to);
    const tile = part("tile", this.#product.sum, this.#sumsShape, this.#scope("accumulator"));
    const target = part("target", this.#product.sum, this.#sumsShape, to);
    tensorIntrinsic(name, {
      description: copyOf(name, tile, target, this.#sumsShape),
      participants: "warp",
      implementation: (from: RegisterTile, view: View) => this.#family.store(from.value, view),
    });
  }
}

/** Registers the intrinsics of all products of an instruction. */
export function defineProducts(family: ProductFamily): ProductFamily {
  for (const product of family.products) {
    const made = new Definition(family, product);
    for (const where of ["shared", "global"] as const) {
      if (product.ending !== "_f16")
        for (const as of lines) {
          made.load("a", where, as);
          made.load("b", where, as);
        }
      made.loadSums(where);
      made.storeSums(where);
    }
    for (const linesA of lines) for (const linesB of lines) made.sync(linesA, linesB);
    made.fill();
  }
  return family;
}
