import type { MatrixType, Value } from "../../ir/index.ts";
import { failHere } from "../trace/fail-here.ts";
import { runningHere, threadsOf } from "../trace/partition.ts";
import type { Trace } from "../trace/trace.ts";

/** A tile of the author's. */
export interface Tile {
  readonly value: Value;
  readonly type: MatrixType;
}

/** Rows of a matrix that `sharing` warpgroups share out, here. W6110, W6116, W6122. */
export function checkRows(trace: Trace, what: string, rows: number, sharing: number): void {
  if (threadsOf(trace) % 128 !== 0) failHere("W6122", { threads: threadsOf(trace) });
  const multiple = 64 * sharing;
  if (!Number.isInteger(sharing) || sharing < 1 || !Number.isInteger(rows) || rows < 1 || rows % multiple !== 0)
    failHere("W6110", { what, given: rows, multiple });
  warpgroupsHere(trace, sharing);
}

/** The warpgroups that run here, for an op on a tile that several share: the number of the first, and how many. W6116. */
export function warpgroupsHere(trace: Trace, sharing: number): readonly number[] | undefined {
  if (sharing === 1) return undefined;
  const { first, count } = runningHere(trace);
  return count % sharing === 0 ? [first, count] : failHere("W6116", { wanted: sharing, there: count });
}

/** Columns of an accumulator: PTX ISA 9.7.15.1 "Matrix Shape". W6111. */
export function checkColumns(cols: number, integers: boolean): void {
  const valid = cols >= 8 && cols <= 256 && cols % 8 === 0 && (!integers || cols <= 24 || cols % 16 === 0);
  if (!valid) failHere("W6111", { cols, integers });
}
