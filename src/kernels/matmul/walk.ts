import { range, type TileScheduler } from "warpsmith";
import type { Geometry } from "./geometry.ts";

/** A tile of D, or half of one. */
export interface Part {
  /** 1: a whole tile; 2: a half, along M. */
  readonly of: 1 | 2;
  /** Its first element in D. */
  readonly row: number;
  readonly col: number;
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
  const { tileM, tileN, all, whole } = geometry;
  for (const i of range(first, whole, step)) {
    const { m, n } = order.at(i);
    visit({ of: 1, row: m * tileM, col: n * tileN, follows: i + geometry.step < whole });
  }
  if (whole === all) return;
  for (const i of range(from, 2 * (all - whole), geometry.step)) {
    const { m, n } = order.at(whole + (i >> 1));
    visit({ of: 2, row: m * tileM + (i & 1) * (tileM / 2), col: n * tileN, follows: false });
  }
}
