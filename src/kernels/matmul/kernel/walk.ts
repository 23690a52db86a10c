import { range, type TileScheduler } from "warpsmith";
import type { Geometry } from "./geometry.ts";

/** A tile of D, or half of one. */
export interface Part {
  /** 1: a whole tile; 2: a half, along M. */
  readonly of: 1 | 2;
  /** Its first element in D. */
  readonly row: number;
  readonly col: number;
  /** Which product of a batch it is; undefined where there is one. */
  readonly batch: number | undefined;
  /** Which part of K is this block's. */
  readonly split: number;
  /** Whether the block has a whole tile after it. */
  readonly follows: boolean;
}

type Coordinates = readonly [number, number] | readonly [number, number, number];

/** Which tiles are a block's. */
export interface Walk {
  readonly geometry: Geometry;
  readonly order: TileScheduler;
  /** The first of them; every `geometry.step`-th follows. */
  readonly from: number;
}

/** Coordinates of a matrix for TMA, innermost first; of one of a batch where that is given. */
export function coordinates(x: number, y: number, batch: number | undefined): Coordinates {
  "use kernel";
  return batch === undefined ? [x, y] : [x, y, batch];
}

/** Visits a block's whole tiles, those from `first` on, `step` apart; then all its halves. */
export function walk({ geometry, order, from }: Walk, first: number, step: number, visit: (part: Part) => void) {
  "use kernel";
  const { problem, tileM, tileN, tilesOfOne, all, whole, halves, splits } = geometry;
  /** Of a tile of that number along M: the product that it belongs to, and its first row there. */
  const placeOf = (tile: number) => {
    if (!problem.batch) return { batch: undefined, row: tile * tileM };
    return { batch: Math.trunc(tile / tilesOfOne), row: (tile % tilesOfOne) * tileM };
  };
  for (const i of range(first, whole, step)) {
    const { m, n } = order.at(i);
    const [tile, split] = splits === 1 ? [m, 0] : [Math.trunc(m / splits), m % splits];
    visit({ of: 1, ...placeOf(tile), col: n * tileN, split, follows: i + geometry.step < whole });
  }
  if (!halves) return;
  for (const i of range(from, 2 * (all - whole), geometry.step)) {
    const { m, n } = order.at(whole + (i >> 1));
    const { batch, row } = placeOf(m);
    visit({ of: 2, batch, row: row + (i & 1) * (tileM / 2), col: n * tileN, split: 0, follows: false });
  }
}
