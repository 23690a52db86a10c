import { range, type TileScheduler } from "warpsmith";
import type { Geometry } from "./geometry.ts";

/** A tile of D, or half of one. */
export interface Part {
  /** 1: a whole tile; 2: a half, along M. */
  readonly of: 1 | 2;
  /** Its first element in D. */
  readonly row: number;
  readonly col: number;
  /** Which part of K is this block's. */
  readonly split: number;
  /** Whether the block has a whole tile after it. */
  readonly follows: boolean;
}

/** Which tiles are a block's. */
export interface Walk {
  readonly geometry: Geometry;
  readonly order: TileScheduler;
  /** The first of them; every `geometry.step`-th follows. */
  readonly from: number;
}

/** Visits a block's whole tiles, those from `first` on, `step` apart; then all its halves. */
export function walk({ geometry, order, from }: Walk, first: number, step: number, visit: (part: Part) => void) {
  "use kernel";
  const { tileM, tileN, all, whole, halves, splits } = geometry;
  for (const i of range(first, whole, step)) {
    const { m, n } = order.at(i);
    const [tile, split] = splits === 1 ? [m, 0] : [Math.trunc(m / splits), m % splits];
    visit({ of: 1, row: tile * tileM, col: n * tileN, split, follows: i + geometry.step < whole });
  }
  if (!halves) return;
  for (const i of range(from, 2 * (all - whole), geometry.step)) {
    const { m, n } = order.at(whole + (i >> 1));
    visit({ of: 2, row: m * tileM + (i & 1) * (tileM / 2), col: n * tileN, split: 0, follows: false });
  }
}
