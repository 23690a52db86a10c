/** How many iterations apart two statements of a loop's body touch the same element of a buffer. */
import { intOf, sub } from "../ir/build.ts";
import { sameExpr } from "../ir/linear.ts";
import { type Known, linearOf, simplify } from "../ir/simplify.ts";
import type { Buffer, Expr, Range, Region, Stmt, Var } from "../ir/types.ts";
import { touches } from "./depends.ts";
import { touchedBy } from "./touches.ts";

/** `v % c`, as multi-buffering writes it; undefined of anything else. */
export function remainderOf(e: Expr, v: Var): number | undefined {
  return e.kind === "binary" && e.op === "%" && e.a === v ? intOf(e.b) : undefined;
}

/** The least distance from `least` on at which two ranges meet, as far as this dimension says; undefined where they never do. */
function apart(a: Range, b: Range, v: Var, known: Known, least: number): number | undefined {
  const by = remainderOf(a.min, v);
  const [lengthA, lengthB] = [intOf(a.extent), intOf(b.extent)];
  if (by !== undefined && sameExpr(a.min, b.min) && lengthA === 1 && lengthB === 1) return Math.ceil(least / by) * by;
  if (lengthA === undefined || lengthB === undefined) return least;
  const [from, to] = [linearOf(a.min, known), linearOf(b.min, known)];
  const factor = [...from.terms.values()].find((t) => t.atom === v)?.factor ?? 0;
  const other = [...to.terms.values()].find((t) => t.atom === v)?.factor ?? 0;
  if (factor !== other) return least;
  const offset = intOf(simplify(sub(b.min, a.min), known));
  if (offset === undefined) return least;
  // At distance d, b begins factor * d + offset behind a; they meet where that is above -lengthB and below lengthA.
  if (factor === 0) return offset > -lengthB && offset < lengthA ? least : undefined;
  const [low, high] = [(-lengthB - offset) / factor, (lengthA - offset) / factor].toSorted((x, y) => x - y);
  const first = Math.max(least, Math.floor(low ?? 0) + 1);
  return first < (high ?? 0) ? first : undefined;
}

function meeting(a: Region, b: Region, v: Var, known: Known, least: number): number | undefined {
  let most = least;
  for (const [d, range] of a.ranges.entries()) {
    const other = b.ranges[d];
    const one = other ? apart(range, other, v, known, least) : least;
    if (one === undefined) return undefined;
    most = Math.max(most, one);
  }
  return most;
}

/** The least distance, from `least` on, after which the second touches what the first touched, one of them writing; undefined: it never does. */
export function distanceOf(first: Stmt, second: Stmt, b: Buffer, v: Var, known: Known, least: number): number | undefined {
  if (!touches(first, b) || !touches(second, b)) return undefined;
  const part = (s: Stmt, how: "reads" | "writes"): Region | undefined => touchedBy(s, known)[how].find((r) => r.buffer === b);
  const pairs = [
    ["writes", "reads"],
    ["reads", "writes"],
    ["writes", "writes"],
  ] as const;
  const all = pairs.flatMap(([x, y]) => {
    const [r, s] = [part(first, x), part(second, y)];
    const d = r && s ? meeting(r, s, v, known, least) : undefined;
    return d === undefined ? [] : [d];
  });
  return all.length > 0 ? Math.min(...all) : undefined;
}

/** How many versions of a buffer that each iteration fills anew are needed: nothing may be overwritten before it was used. */
export function requiredDistance(
  {
    body,
    stages,
    order,
  }: { readonly body: readonly Stmt[]; readonly stages: readonly number[]; readonly order: readonly number[] },
  b: Buffer,
): number {
  const users = body.flatMap((s, i) => (touches(s, b) ? [i] : []));
  let depth = 1;
  for (const i of users)
    for (const j of users) {
      const [late, soon] = [stages[i] ?? 0, stages[j] ?? 0];
      const need = late - soon + ((order[i] ?? 0) > (order[j] ?? 0) ? 1 : 0);
      depth = Math.max(depth, need);
    }
  return depth;
}
