/** What every layout of tiles is: how it is written, who holds what of a tile, what an access of shared memory costs. Those that there are: layouts.ts. */

import { optionsOf } from "../../base/diag/index.ts";
import { elementBytes } from "../../base/element-types.ts";
import type { DType } from "../../base/types.ts";
import { isPowerOf2 } from "../../ir/arith.ts";
import type { LinearLayout as LinearMap } from "../../layout/index.ts";
import { drawSvg, drawText, layoutRank, layoutText, linearLayout, sharedTileCost, type TileLayout } from "../../layout/index.ts";
import { checkOptionsHere, describe } from "../numbers/describe.ts";
import { failHere } from "../trace/fail-here.ts";
import { OwnObject } from "../trace/staged.ts";
import { placingOf, type SharedLayout } from "./shared-layouts.ts";

const inspect = Symbol.for("nodejs.util.inspect.custom");

const namedExtents = (shape: readonly number[]): Record<string, number> =>
  Object.fromEntries(shape.map((extent, d) => [`d${d}`, extent]));

/** How layouts are written in the types of tiles. */
const texts = new WeakMap<Layout, TileLayout>();

/** How a layout is written in the types of tiles. */
export function textOf(layout: Layout): TileLayout {
  const text = texts.get(layout);
  if (!text) throw new TypeError("a layout that nobody made");
  return text;
}

/** An access of a tile in shared memory. */
export interface BankConflictOptions {
  /** The type of the elements. */
  dtype: DType;
  /** Of the tile: powers of two. */
  shape: readonly number[];
  /** True: the tile is stored. Default false: it is loaded. */
  store?: boolean;
}

const conflictOptions = optionsOf<BankConflictOptions>("bankConflicts()", { dtype: true, shape: true, store: true });

/** Which thread holds which elements of a tile. A value of the host: kernels and plain code alike make them. */
export abstract class Layout extends OwnObject {
  protected constructor(text: unknown) {
    super();
    texts.set(this, text as TileLayout);
  }

  /** Dimensions of its tiles. */
  get rank(): number {
    return layoutRank(textOf(this));
  }

  /** What `console.log` and the prompt show. */
  [inspect](): string {
    return `${this.constructor.name} { ${String(this)} }`;
  }

  /** As it stands in the types of tiles: "blocked 1x4 of 4x8 of 4x1 order 1,0". */
  override toString(): string {
    return layoutText(textOf(this));
  }

  /**
   * Who holds what of a tile of that shape, as a table: `T5:2` is register 2 of thread 5, counted in its first warp; several threads stand beside each other
   * with a bar. Of a layout of wgmma it is the part of one warpgroup. W6205, W6210.
   */
  print(shape: readonly number[]): string {
    return drawText(this.#over(shape), namedExtents(shape));
  }

  /** The same as a drawing, an SVG that needs nothing else: what one thread holds has one colour. */
  toSvg(shape: readonly number[]): string {
    return drawSvg(this.#over(shape), namedExtents(shape));
  }

  /**
   * Wavefronts beyond the least when a tile of that type and shape is loaded from shared memory that lies so, or with `store` is stored there: 0 without bank
   * conflicts. Counted for the instructions that the compiler chooses, of all warps. W6205, W6210, W6231, W6232.
   */
  bankConflicts(shared: SharedLayout, options: BankConflictOptions): number {
    checkOptionsHere(options, conflictOptions);
    const { dtype, shape, store = false } = options;
    if (!Object.hasOwn(elementBytes, dtype)) failHere("W3026", { what: "a tile", dtype: String(dtype) });
    this.#over(shape);
    const placing = placingOf(shared, dtype, shape);
    const layout = textOf(this);
    const isHalf = dtype === "f16" || dtype === "bf16";
    const [rows = 0, cols = 0] = shape;
    const byMatrix = isHalf && layout.kind === "wgmma" && rows % (64 * layout.warpgroups) === 0 && cols % 8 === 0;
    const view = { ...placing, elementBytes: elementBytes[dtype], divisor: 16 };
    return sharedTileCost({ shape, layout }, view, byMatrix, store).conflicts;
  }

  #over(shape: readonly number[]): LinearMap {
    const given: unknown = shape;
    const shown = Array.isArray(given) ? given.map(describe).join(", ").replaceAll("`", "") : describe(given);
    if (!Array.isArray(given) || given.length !== this.rank)
      return failHere("W6205", {
        rank: this.rank,
        what: given === undefined ? "no shape" : Array.isArray(given) ? `[${shown}]` : shown,
        dims: Array.isArray(given) ? given.length : 0,
      });
    const odd: unknown = given.find((n) => typeof n !== "number" || !isPowerOf2(n) || n > 4096);
    if (odd !== undefined) failHere("W6210", { shape: shown, why: `${describe(odd)} is no power of two up to 4096` });
    return linearLayout({ shape, layout: textOf(this) });
  }

  /** Do both put each element of any tile of this rank in the same place, by the way they are written? */
  equals(other: Layout): boolean {
    return other instanceof Layout && String(other) === String(this);
  }
}

/** A layout that is written in the type of a tile. */
class WrittenLayout extends Layout {
  static of(text: TileLayout): Layout {
    return new WrittenLayout(text);
  }
}
export const writtenLayout = (text: TileLayout): Layout => WrittenLayout.of(text);

/** The layout that the author gave. W6212. */
export function readLayout(given: unknown, what: string): Layout {
  if (given instanceof Layout) return given;
  return failHere("W6212", { what, given: given === undefined ? "nothing" : describe(given) });
}
