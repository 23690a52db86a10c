/** What an epilogue gives for rows: reduced over the columns of a tile, in one order. */
import { type Accumulator, f32, staticRange, type Tensor, tile } from "warpsmith";
import { isNumber } from "../../common/best.ts";

/** How the numbers of a row become one: their sum, the greatest, or the greatest and the column that it is in. */
export type Reduction = "sum" | "max" | "argmax";

export type Reductions = Readonly<Record<string, Reduction>>;

/** [lines, batch, parts of a row, M]: what tiles, or shares of them where K is split, have of each row. A reduction has a line, and those with a column another one, behind all. */
export type Partials = Tensor<"f32", 4>;

/** Those whose column is kept, too. */
export const withColumns = (reductions: Reductions): readonly string[] =>
  Object.keys(reductions).filter((name) => reductions[name] === "argmax");

/** Lines of what parts have. */
export const linesOf = (reductions: Reductions): number => Object.keys(reductions).length + withColumns(reductions).length;

/** The line of a reduction, and that of its column. */
const lineOf = (reductions: Reductions, name: string): number => Object.keys(reductions).indexOf(name);
export const columnLineOf = (reductions: Reductions, name: string): number =>
  Object.keys(reductions).length + withColumns(reductions).indexOf(name);

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

/** What there is of rows so far, in 8 columns. */
export interface Folded {
  readonly all: Accumulator;
  /** Where each is, of those whose column is kept: how many columns before these 8 were. A column of a part is exact in f32. */
  readonly at?: Accumulator;
}

/** What there is of the rows so far with the columns of one more panel, the first of which is column `from` of its part. */
export function folded(by: Reduction, before: Folded | undefined, panel: Accumulator, from: number): Folded {
  "use kernel";
  let all = before?.all;
  let at = before?.at;
  for (const c of staticRange(0, panel.shape[1], 8)) {
    const eight = panel.columns(c, 8);
    if (by === "argmax") [all, at] = withGreater(all, at, eight, from + c);
    else all = all ? all.zip(eight, (x, y) => joined(by, x, y)) : eight;
  }
  return { all: all as Accumulator, ...(at ? { at } : {}) };
}

/** The greater of each two numbers, of equal ones the first, and how many columns were before it. NaN is greater than all else. */
function withGreater(
  all: Accumulator | undefined,
  at: Accumulator | undefined,
  eight: Accumulator,
  column: number,
): [Accumulator, Accumulator] {
  "use kernel";
  if (!all || !at) return [eight, eight.map(() => f32(column))];
  const wins: boolean[] = [];
  const most = all.zip(eight, (x, y) => {
    wins.push(y > x || (!isNumber(y) && isNumber(x)));
    return Math.max(x, y);
  });
  let register = 0;
  return [most, at.map((x) => (wins[register++] ? f32(column) : x))];
}

/** No column of a part. */
const BEYOND = 65_536;

/** Writes what a part has of its rows, the first of which is `row`. Rows that D does not have are not written. */
export function storePartial(
  to: Partials,
  reductions: Reductions,
  name: string,
  [batch, part, row]: readonly [batch: number, part: number, row: number],
  { all, at }: Folded,
) {
  "use kernel";
  const line = reductions[name] === "sum" ? tile.sum(all.tile, 1) : tile.max(all.tile, 1);
  to.at(lineOf(reductions, name), batch, part).storeTile([row], line);
  if (!at) return;
  const columns = at.map((before, _, c) => before + f32(c));
  const most = tile.expand(line, 1);
  const isMost = all.tile === most || !(all.tile <= Number.POSITIVE_INFINITY);
  const first = tile.min(tile.where(isMost, columns.tile, f32(BEYOND)), 1);
  to.at(columnLineOf(reductions, name), batch, part).storeTile([row], first);
}
