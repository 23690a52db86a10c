/** What an epilogue gives for rows: reduced over the columns of a tile, in one order. */
import { type Accumulator, f32, staticRange, type Tensor, tile } from "warpsmith";
import type { Reduction } from "./outputs.ts";

export type Reductions = Readonly<Record<string, Reduction>>;

/** [reductions, batch, parts of a row, M]: what tiles, or shares of them where K is split, have of each row. */
export type Partials = Tensor<"f32", 4>;

/** What changes nothing. */
export const identity = (by: Reduction): number => {
  "use kernel";
  return by === "sum" ? 0 : Number.NEGATIVE_INFINITY;
};

/** Two numbers as one. */
export function joined(by: Reduction, x: number, y: number): number {
  "use kernel";
  return by === "sum" ? f32(x) + f32(y) : Math.max(x, y);
}

/** What there is of the rows so far, in 8 columns, with the columns of one more panel. */
export function folded(by: Reduction, before: Accumulator | undefined, panel: Accumulator): Accumulator {
  "use kernel";
  let all = before;
  for (const c of staticRange(0, panel.shape[1], 8)) {
    const eight = panel.columns(c, 8);
    all = all ? all.zip(eight, (x, y) => joined(by, x, y)) : eight;
  }
  return all as Accumulator;
}

/** Writes what a tile has of its rows, the first of which is `row`, as that part of them. Rows that D does not have are not written. */
export function storePartial(
  to: Partials,
  [number, batch, part, row]: readonly [number: number, batch: number, part: number, row: number],
  by: Reduction,
  all: Accumulator,
) {
  "use kernel";
  const line = by === "sum" ? tile.sum(all.tile, 1) : tile.max(all.tile, 1);
  to.at(number, batch, part).storeTile([row], line);
}
