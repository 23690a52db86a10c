import { range, SliceLayout, staticRange, tile, warpgroup } from "warpsmith";
import { rounded } from "../../common/numbers.ts";
import { exp2, LEAST } from "../softmax.ts";
import { atOnceOf, type DecodeComputing, linesOf } from "./computing.ts";
import { widthOf } from "./plan.ts";
import { storeLogs, storeRows } from "./store.ts";
import type { Segment } from "./work.ts";

/** Numbers of parts that a thread has on the way at a time: where it has a multiprocessor's registers for one block, and for two. */
const ON_THE_WAY = [128, 64] as const;

/** What blocks `first` to `last` have of a head. */
interface Found {
  readonly segment: Segment;
  readonly first: number;
  readonly last: number;
}

/** Adds up what blocks `first` to `last` have of a head, in their order. */
export function combine(computing: DecodeComputing, segment: Segment, first: number, last: number) {
  "use kernel";
  const { geometry, parts } = computing;
  const all = widthOf(geometry.problem.dv);
  const width = atOnceOf(geometry.rows, all);
  const found = { segment, first, last };
  for (const at of staticRange(0, all, width)) combineColumns(computing, found, at, width);
  if (warpgroup.thread === 0) parts.counters.at(first).store(0);
}

/** The same of columns `at` to `at + width`; with the first of them, the logarithms. */
function combineColumns(computing: DecodeComputing, { segment, first, last }: Found, at: number, width: number) {
  "use kernel";
  const { geometry, parts } = computing;
  const { problem, plan } = geometry;
  const rows = geometry.rows.count;
  const layout = linesOf(width);
  const byRow = new SliceLayout(1, layout);
  const together = Math.max(
    1,
    Math.trunc((plan.blocks === 1 ? ON_THE_WAY[0] : ON_THE_WAY[1]) / Math.max(8, (rows * width) / 128)),
  );
  let O = tile.full([rows, width], 0, layout);
  let off = tile.full([rows], LEAST, byRow);
  let sum = tile.full([rows], 0, byRow);
  for (const from of range(first, last + 1, together)) {
    const some = Array.from({ length: together }, (_, i) => {
      const part = Math.min(from + i, last);
      const slot = 2 * part + (part === first ? 1 : 0);
      const least = tile.full([rows], LEAST, byRow);
      const found = parts.sums.at(slot, 0).loadTile([0], [rows], byRow, { mask: false });
      return {
        // One that there is not weighs nothing.
        off: from + i <= last ? found : least,
        sum: parts.sums.at(slot, 1).loadTile([0], [rows], byRow, { mask: false }),
        O: parts.output.at(slot).loadTile([0, at], [rows, width], layout, { mask: false }),
      };
    });
    const most = some.reduce((a, b) => Math.max(a, b.off), off);
    const before = exp2(off - most);
    O = O * tile.expand(before, 1);
    sum = sum * before;
    for (const i of staticRange(together)) {
      const part = some[i] as (typeof some)[number];
      const weight = exp2(part.off - most);
      O = O + part.O * tile.expand(weight, 1);
      sum = sum + part.sum * weight;
    }
    off = most;
  }
  storeRows(computing, segment, at, () => rounded(problem.dtype, O * tile.expand(1 / Math.max(sum, 1e-37), 1)));
  if (at === 0) storeLogs(computing, segment, off, sum);
}
