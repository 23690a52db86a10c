/** The layouts that tiles can have, as their types say them. */

/** As wgmma spreads its accumulators: over one warpgroup, or over neighbouring ones that share the rows evenly. PTX ISA 9.7.15.5.1. */
export interface WgmmaLayout {
  readonly kind: "wgmma";
  readonly warpgroups: number;
}

/** The left side of a product from registers, `width` neighbours to a word of 32 bits. PTX ISA 9.7.15.5.1. */
export interface OperandLayout {
  readonly kind: "operand";
  readonly width: 1 | 2 | 4;
  readonly warpgroups: number;
}

/** Where the stored elements of a sparse left side stand; `bytes`: 1 for elements of 8 bits, 2 for others. PTX ISA 9.7.15.6.1. */
export interface MetadataLayout {
  readonly kind: "metadata";
  readonly bytes: 1 | 2;
  readonly warpgroups: number;
}

/** As mma.sync spreads its accumulators, m16n8, over warps along rows and columns. PTX ISA 9.7.14.5. */
export interface MmaLayout {
  readonly kind: "mma";
  readonly warps: readonly [m: number, n: number];
}

/** A side of its products, `width` neighbours along K in a thread. */
export interface MmaOperandLayout {
  readonly kind: "mma operand";
  readonly operand: "A" | "B";
  readonly width: 1 | 2 | 4;
  readonly warps: readonly [m: number, n: number];
}

/** Blocks of neighbours in each thread, lanes and then warps beside each other; `order` lists dimensions, fastest first. Gluon's BlockedLayout. */
export interface BlockedLayout {
  readonly kind: "blocked";
  readonly perThread: readonly number[];
  readonly threads: readonly number[];
  readonly warps: readonly number[];
  readonly order: readonly number[];
}

/** Any linear map: the coordinates that each bit of register, lane and warp adds, over a tile of `extents`, which repeats. */
export interface BitsLayout {
  readonly kind: "linear";
  readonly register: readonly (readonly number[])[];
  readonly lane: readonly (readonly number[])[];
  readonly warp: readonly (readonly number[])[];
  readonly extents: readonly number[];
}

/**
 * What a reduction along one axis leaves: threads that differed only in it hold the same. How far the tile went along it makes no
 * difference.
 */
export interface SliceLayout {
  readonly kind: "slice";
  readonly axis: number;
  readonly of: TileLayout;
}

/**
 * Not chosen yet: the pass `assign-layouts` does it. `over`: the warps that hold a tile; `groups`: the warpgroups that run where it is made, the number of
 * the first and how many.
 */
export interface AutoLayout {
  readonly kind: "auto";
  readonly rank: number;
  readonly over: number;
  readonly groups: readonly [first: number, count: number];
}

export type TileLayout =
  | AutoLayout
  | WgmmaLayout
  | OperandLayout
  | MetadataLayout
  | MmaLayout
  | MmaOperandLayout
  | BlockedLayout
  | BitsLayout
  | SliceLayout;

/** The shape of a tile, and how it lies. */
export interface Spread {
  readonly shape: readonly number[];
  readonly layout: TileLayout;
}

/** The shape of a matrix of wgmma, and how it lies. */
export interface MatrixSpread {
  readonly shape: readonly [rows: number, cols: number];
  readonly layout: WgmmaLayout;
}

/** Is it still to be chosen? */
export const isAuto = (layout: TileLayout): layout is AutoLayout => layout.kind === "auto";

/** The same, for tiles with so many dimensions. */
export const autoOfRank = (layout: AutoLayout, rank: number): AutoLayout => ({ ...layout, rank });

/** What is left of a tile along an axis. */
export const sliceOf = ({ shape, layout }: Spread, axis: number): Spread => ({
  shape: shape.toSpliced(axis, 1),
  layout: isAuto(layout) ? autoOfRank(layout, layout.rank - 1) : { kind: "slice", axis, of: layout },
});

/** The dimension of one element that one shape has more than another; undefined where it has none. */
export function expandedAxis(from: readonly number[], to: readonly number[]): number | undefined {
  const axis = to.findIndex((n, d) => n === 1 && String(to.toSpliced(d, 1)) === String(from));
  return axis < 0 || to.length !== from.length + 1 ? undefined : axis;
}

/** Dimensions of the tiles that a layout is for. */
export function layoutRank(layout: TileLayout): number {
  if (layout.kind === "slice") return layoutRank(layout.of) - 1;
  if (layout.kind === "auto") return layout.rank;
  if (layout.kind === "blocked") return layout.order.length;
  return layout.kind === "linear" ? layout.extents.length : 2;
}
