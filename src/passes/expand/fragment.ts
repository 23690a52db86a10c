import { add, and, modulo, mul, shl, shr } from "../../ir/arith.ts";
import type { Emitter, TileType, Value } from "../../ir/index.ts";
import type { Expansion } from "./expansion.ts";

/**
 * Which element of a warpgroup's tile is which of a thread's registers: PTX ISA 9.7.15.5.1.1 ("Matrix Fragments for wgmma", D). With w
 * the warp in its warpgroup, g = lane / 4 and t = lane % 4, register r of each 64 rows is
 * row 16w + g + 8 (r/2 % 2), column 8 (r/4) + 2t + r % 2.
 */
export interface ElementPlace {
  /** Rows and columns from the thread's own first element. */
  readonly row: number;
  readonly col: number;
}

/** The places of a thread's registers, in order, for a tile of that many rows (of one warpgroup) and columns. */
export function elementPlaces(rows: number, cols: number): readonly ElementPlace[] {
  return Array.from({ length: (rows * cols) / 128 }, (_, e) => {
    const r = e % (cols / 2);
    return { row: 64 * Math.floor(e / (cols / 2)) + 8 * ((r >> 1) & 1), col: 8 * (r >> 2) + (r & 1) };
  });
}

/** Rows of a tile that one warpgroup holds. */
export const rowsEach = ({ rows, sharing }: Pick<TileType, "rows" | "sharing">): number => rows / sharing;

/** The row and column of a thread's first element: 16w + g and 2t. Both i32. */
export interface Origin {
  readonly row: Value;
  readonly col: Value;
}

export const warpInGroup = (e: Emitter): Value => and(e, e.once("warp.index", {}, {}), 3);
export const laneOf = (e: Emitter): Value => e.once("sreg", {}, { reg: "laneid" });

/** The warpgroups that run where an op stands: the number of the first, and how many. */
export type Running = readonly number[] | undefined;

/** In a tile whose rows `sharing` warpgroups share out, `rows` to each. */
export function originOf({ w }: Expansion, rows: number, sharing: number, running: Running): Origin {
  const lane = laneOf(w);
  const row = add(w, shl(w, warpInGroup(w), 4), shr(w, lane, 2));
  const col = shl(w, and(w, lane, 3), 1);
  const group = groupIndex(w, sharing, running);
  return { row: group ? add(w, mul(w, group, rows), row) : row, col };
}

/** This warpgroup's number among those that share a tile; undefined where it is alone. */
export function groupIndex(e: Emitter, sharing: number, [start = 0, count = sharing]: readonly number[] = []): Value | undefined {
  if (sharing === 1) return undefined;
  const index = shr(e, e.once("warp.index", {}, {}), 2);
  const here = add(e, index, -start);
  return count === sharing ? here : modulo(e, here, sharing);
}
