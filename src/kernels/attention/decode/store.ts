import { f32, fast, tile } from "warpsmith";
import type { DecodeComputing } from "./computing.ts";
import { widthOf } from "./plan.ts";
import type { Segment } from "./work.ts";

// Rows of one query are heads, neighbours in memory: a matrix.

/** Stores columns of the output of a head, from `at` on: rows and elements that there are not stay. */
export function storeRows(
  { geometry: { problem, rows }, out }: DecodeComputing,
  { batch, kvHead }: Segment,
  at: number,
  output: () => number,
) {
  "use kernel";
  const to = out.at(batch, kvHead);
  const own = output();
  const [, width = 0] = tile.info(own).shape;
  if (problem.queries === 1) to.at(0).storeTile([0, at], own);
  else to.storeTile([0, 0, at], tile.reshape(own, [rows.queries, rows.heads, width]));
}

/** The same of an output of [dv in panels, rows]. */
export function storeColumns({ geometry: { problem, rows }, out }: DecodeComputing, { batch, kvHead }: Segment, output: number) {
  "use kernel";
  const to = out.at(batch, kvHead);
  if (problem.queries === 1) to.at(0).transpose(1, 0).storeTile([0, 0], output);
  else to.transpose(2, 0, 1).storeTile([0, 0, 0], tile.reshape(output, [widthOf(problem.dv), rows.queries, rows.heads]));
}

/** Stores the logarithms of the sums of a head's rows, where they are asked for; `off` is what was taken off scores, in powers of 2. */
export function storeLogs(
  { geometry: { problem, rows }, logs }: DecodeComputing,
  { batch, kvHead }: Segment,
  off: number,
  sum: number,
) {
  "use kernel";
  if (!logs.to) return;
  const to = logs.to.at(batch, kvHead);
  // A score of +∞ leaves no number of the sum.
  const log = tile.where(off === Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, (fast.log2(sum) + off) * f32(Math.LN2));
  if (problem.queries === 1) to.at(0).storeTile([0], log);
  else to.storeTile([0, 0], tile.reshape(log, [rows.queries, rows.heads]));
}
