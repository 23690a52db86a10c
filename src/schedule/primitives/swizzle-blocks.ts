/** The order in which blocks of the launch take the tiles of a matrix: neighbours share rows, so that what they read is in the cache. */
import { add, binary, floorDiv, int, intOf, less, mod, mul, sub } from "../ir/build.ts";
import type { Expr, Program, Var } from "../ir/types.ts";
import { substitute } from "../ir/walk.ts";
import { type LoopAt, loopAt, outermostBlocks, refuse, type Step, withStmt, wouldChange } from "./find.ts";
import { axesOn, checkAnyOrder } from "./loops.ts";

interface Tile {
  readonly y: Expr;
  readonly x: Expr;
}

/**
 * The tile that block `id` takes: `width` rows at a time, column by column inside of them; of the rows that are left, all at a time. Each id
 * from 0 to rows * columns - 1 has another one.
 */
export function swizzled(id: Expr, rows: number, columns: number, width: number): Tile {
  const whole = Math.floor(rows / width);
  const left = rows % width;
  const inGroup = mod(id, int(width * columns));
  const group =
    left === 0
      ? floorDiv(id, int(width * columns))
      : binary("min", floorDiv(id, int(width * columns)), int(Math.max(whole - 1, 0)));
  const full: Tile = { y: add(mul(group, int(width)), mod(inGroup, int(width))), x: floorDiv(inGroup, int(width)) };
  if (left === 0) return full;
  const begin = whole * width * columns;
  const rest = whole === 0 ? id : binary("max", sub(id, int(begin)), int(0));
  const tail: Tile = { y: add(int(whole * width), mod(rest, int(left))), x: floorDiv(rest, int(left)) };
  if (whole === 0) return tail;
  const choose = (yes: Expr, no: Expr): Expr => ({ kind: "select", dtype: "i32", condition: less(id, int(begin)), yes, no });
  return { y: choose(full.y, tail.y), x: choose(full.x, tail.x) };
}

function extentOf({ loop }: LoopAt, step: Step): number {
  return (
    intOf(loop.extent) ??
    refuse(
      step,
      "W5525",
      { step: step.name, why: `only the launch knows how many iterations '${loop.variable.name}' has` },
      loop.span,
    )
  );
}
function checkWidth(width: number, at: LoopAt, step: Step): void {
  if (!Number.isSafeInteger(width) || width < 1)
    refuse(step, "W5525", { step: step.name, why: `a width is a number of rows from 1 on, not ${width}` }, at.loop.span);
}

/** Refuses loops whose iterations may not run in any order at all. */
function checkIndependent(p: Program, found: readonly LoopAt[], step: Step): void {
  const [outer, inner] = [found[0]?.loop, found.at(-1)?.loop];
  if (!outer || !inner) return;
  for (const b of outermostBlocks(inner.body))
    for (const { loop } of found)
      if (axesOn(b, loop.variable).reduce)
        wouldChange(
          step,
          `'${loop.variable.name}' runs a reduction of '${b.name}', which begins at its first iteration`,
          b.span,
          loop.span,
        );
  checkAnyOrder(p, found, outer, inner, step);
}

/** Two loops directly inside one another, over rows and over columns of tiles. */
export function swizzleBlocks(p: Program, rows: Var, columns: Var, width: number, step: Step): Program {
  const [y, x] = [loopAt(p, rows, step), loopAt(p, columns, step)];
  if (y.loop.body !== x.loop && x.loop.body !== y.loop)
    refuse(
      step,
      "W5523",
      { step: step.name, why: `'${rows.name}' and '${columns.name}' do not stand directly inside one another` },
      y.loop.span,
      x.loop.span,
    );
  checkWidth(width, y, step);
  const [m, n] = [extentOf(y, step), extentOf(x, step)];
  const [outer, inner] = y.loop.body === x.loop ? [y, x] : [x, y];
  checkIndependent(p, [outer, inner], step);
  const tile = swizzled(add(mul(rows, int(n)), columns), m, n, width);
  const body = substitute(
    inner.loop.body,
    new Map<Var, Expr>([
      [rows, tile.y],
      [columns, tile.x],
    ]),
  );
  return withStmt(p, inner.loop, { ...inner.loop, body });
}

/** One loop over all tiles, row by row, of so many columns. */
export function swizzleFused(p: Program, loop: Var, columns: number, width: number, step: Step): Program {
  const at = loopAt(p, loop, step);
  checkWidth(width, at, step);
  const extent = extentOf(at, step);
  if (!Number.isSafeInteger(columns) || columns < 1 || extent % columns !== 0)
    refuse(
      step,
      "W5525",
      { step: step.name, why: `the ${extent} iterations of '${loop.name}' are no whole rows of ${columns}` },
      at.loop.span,
    );
  checkIndependent(p, [at], step);
  const tile = swizzled(loop, extent / columns, columns, width);
  const body = substitute(at.loop.body, new Map([[loop, add(mul(tile.y, int(columns)), tile.x)]]));
  return withStmt(p, at.loop, { ...at.loop, body });
}
