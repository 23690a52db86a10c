import { add, and, modulo, mul, shl, shr } from "../../ir/arith.ts";
import type { Value } from "../../ir/index.ts";
import type { DType } from "../../types.ts";
import { failHere } from "../fail-here.ts";
import type { Trace } from "../trace.ts";
import { runningHere, threadsOf } from "../warpgroup/partition.ts";

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

/** A matrix over the registers of a warpgroup, or of several that share its rows. */
export interface TileShape {
  readonly dtype: DType;
  readonly shape: readonly [number, number];
  /** Rows of one warpgroup, and warpgroups that share the rows. */
  readonly rows: number;
  readonly sharing: number;
}

/** The places of a thread's registers, in order, for a tile of that many rows (of one warpgroup) and columns. */
export function elementPlaces(rows: number, cols: number): readonly ElementPlace[] {
  return Array.from({ length: (rows * cols) / 128 }, (_, e) => {
    const r = e % (cols / 2);
    return { row: 64 * Math.floor(e / (cols / 2)) + 8 * ((r >> 1) & 1), col: 8 * (r >> 2) + (r & 1) };
  });
}

/** Rows of a matrix that `sharing` warpgroups share out, here. W6110, W6116, W6122. */
export function checkRows(trace: Trace, what: string, rows: number, sharing: number): void {
  if (threadsOf(trace) % 128 !== 0) failHere("W6122", { threads: threadsOf(trace) });
  const multiple = 64 * sharing;
  if (!Number.isInteger(sharing) || sharing < 1 || !Number.isInteger(rows) || rows < 1 || rows % multiple !== 0)
    failHere("W6110", { what, given: rows, multiple });
  groupIndex(trace, sharing);
}

/** The row and column of a thread's first element: 16w + g and 2t. Both i32. */
export interface Origin {
  readonly row: Value;
  readonly col: Value;
}

export function warpInGroup(trace: Trace): Value {
  return and(trace, trace.once("warp.index", {}, {}), 3);
}
export const laneOf = (trace: Trace): Value => trace.once("sreg", {}, { reg: "laneid" });

/** In a tile whose rows `sharing` warpgroups share out, `rows` to each. */
export function originOf(trace: Trace, rows: number, sharing: number): Origin {
  const lane = laneOf(trace);
  const row = add(trace, shl(trace, warpInGroup(trace), 4), shr(trace, lane, 2));
  const col = shl(trace, and(trace, lane, 3), 1);
  const group = groupIndex(trace, sharing);
  return { row: group ? add(trace, mul(trace, group, rows), row) : row, col };
}

/** This warpgroup's number among those that share an accumulator; undefined where it is alone. W6116. */
export function groupIndex(trace: Trace, sharing: number): Value | undefined {
  if (sharing === 1) return undefined;
  const running = runningHere(trace);
  if (running.count % sharing !== 0) failHere("W6116", { wanted: sharing, there: running.count });
  const index = shr(trace, trace.once("warp.index", {}, {}), 2);
  const here = add(trace, index, -running.first);
  return running.count === sharing ? here : modulo(trace, here, sharing);
}
