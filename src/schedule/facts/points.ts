/** At which points of its axes the loops around a block run it. */

import { binary, int, intOf, mul, sub } from "../ir/build.ts";
import { termsOf } from "../ir/conditions.ts";
import { knownIn } from "../ir/known.ts";
import { type Linear, sameExpr, type Term } from "../ir/linear.ts";
import { intervalOf, type Known, linearOf, provably, simplify } from "../ir/simplify.ts";
import type { Block, Expr, Program, Stmt, Var } from "../ir/types.ts";
import { mentions, substituteIn, variablesOf } from "../ir/walk.ts";
import { permuted } from "./permuted.ts";

export interface Points {
  /** No axis follows from others: each may run over its own points, whatever the others do. */
  readonly independent: boolean;
  /** It runs at every point of its axes. */
  readonly covers: boolean;
  /** It runs at no point twice. */
  readonly once: boolean;
}

/** A part of a loop's variable: `floorDiv(v, low) % extent`. */
interface Digit {
  readonly of: Expr;
  readonly low: number;
  readonly extent: Expr;
}

/** A block's axes as expressions of loops alone, and all the conditions it runs under; undefined under an if. */
interface Placed {
  readonly values: readonly Expr[];
  readonly conditions: readonly Expr[];
}

export function placed(block: Block, around: readonly Stmt[]): Placed | undefined {
  const by = new Map<Var, Expr>();
  const conditions: Expr[] = [];
  for (const s of [...around, block]) {
    if (s.kind === "if") return undefined;
    if (s.kind !== "block") continue;
    for (const c of termsOf(s.where)) conditions.push(substituteIn(c, by));
    s.axes.forEach((a, i) => {
      by.set(a.variable, substituteIn(s.values[i] ?? int(0), by));
    });
  }
  return { values: block.axes.map((a) => by.get(a.variable) ?? int(0)), conditions };
}

/** Whether a condition holds wherever each value lies between 0 and its extent. */
export function impliedByExtents(c: Expr, values: readonly Expr[], extents: readonly Expr[], known: Known): boolean {
  if (provably(c, known)) return true;
  if (c.kind !== "binary" || (c.op !== "<" && c.op !== ">=")) return false;
  return values.some((value, i) => {
    const extent = extents[i] ?? int(0);
    if (c.op === ">=") return sameExpr(simplify(sub(c.a, c.b), known), simplify(value, known));
    const [low, whole] = [linearOf(sub(c.a, c.b), known), linearOf(value, known)];
    const [first] = low.terms;
    if (!first) return false;
    const other = whole.terms.get(first[0]);
    const scale = other ? other.factor / first[1].factor : 0;
    if (!Number.isInteger(scale) || scale < 1) return false;
    // Where the condition fails, a - b >= 0, so that the value is at least value - scale * (a - b).
    const least = sub(sub(value, mul(int(scale), sub(c.a, c.b))), extent);
    return intervalOf(linearOf(least, known), known).min >= 0;
  });
}

function digitOf(atom: Expr, known: Known): Digit | undefined {
  if (atom.kind === "var") {
    const bounds = known.get(atom);
    if (!bounds || intOf(bounds.min) !== 0) return undefined;
    return { of: atom, low: 1, extent: simplify(binary("+", bounds.max, int(1)), known) };
  }
  if (atom.kind !== "binary") return undefined;
  const by = intOf(atom.b);
  if (by === undefined || by < 1 || (atom.op !== "floorDiv" && atom.op !== "%")) return undefined;
  const inner = digitOf(atom.a, known);
  const extent = inner && intOf(inner.extent);
  if (!inner || extent === undefined) return undefined;
  // Of any `by` values in a row, each is another remainder.
  if (atom.op === "%" && extent % by !== 0) return extent > by ? { ...inner, extent: int(by) } : inner;
  if (extent % by !== 0) return undefined;
  return atom.op === "%" ? { ...inner, extent: int(by) } : { ...inner, low: inner.low * by, extent: int(extent / by) };
}

/** Digits of a number in mixed radix, the least first, and how many values it has. */
interface Radix {
  readonly digits: readonly Digit[];
  readonly extent: Expr;
}

/** A sum as a number in mixed radix; undefined where it is none. */
function radix(sum: Linear, known: Known): Radix | undefined {
  const digits: Digit[] = [];
  let next: Expr = int(1);
  for (const { atom, factor } of [...sum.terms.values()].toSorted((a: Term, b: Term) => a.factor - b.factor)) {
    const digit = digitOf(atom, known);
    if (!digit || intOf(next) !== factor) return undefined;
    digits.push(digit);
    next = mul(int(factor), digit.extent);
  }
  return { digits, extent: simplify(next, known) };
}

/**
 * Sums without what stays the same in one iteration of the loops `same`, where they are no number in mixed radix with it, such as the tiles of swizzled blocks.
 * A loop that is left out of one axis has to be in no other: that axis would follow from this one.
 */
function inIteration(sums: readonly Linear[], known: Known, same: ReadonlySet<Var>): readonly Linear[] {
  return sums.map((sum, i) => {
    if (radix(sum, known)) return sum;
    const isSame = ({ atom }: Term): boolean => variablesOf(atom).every((v) => same.has(v));
    const left = new Set([...sum.terms.values()].filter(isSame).flatMap(({ atom }) => variablesOf(atom)));
    const elsewhere = sums.some((s, n) => n !== i && [...s.terms.values()].some((t) => mentions(t.atom, left)));
    return elsewhere ? sum : { ...sum, terms: new Map([...sum.terms].filter(([, term]) => !isSame(term))) };
  });
}

/**
 * Whether the loops around a block run it at every point of its axes, and at none twice. Where that is not seen, the answer is no. With `same`, axes need to be
 * independent in one iteration of those loops.
 */
export function pointsOf(p: Program, block: Block, around: readonly Stmt[], same: ReadonlySet<Var> = new Set()): Points {
  const known = knownIn(p, around);
  const at = placed(block, around);
  if (!at) return no;
  const extents = block.axes.map((a) => a.extent);
  const free = at.conditions.every((c) => impliedByExtents(c, at.values, extents, known));
  const whole = at.values.map((v) => linearOf(v, known));
  const sums = inIteration(whole, known, same);
  const parts = sums.flatMap((sum) => radix(sum, known) ?? []);
  if (parts.length < sums.length) return permutedPoints(whole, { known, around, extents, free });
  const once = eachOnce(parts, around, known);
  if (once === undefined) return no;
  const full = parts.every(
    (part, i) => sums[i] === whole[i] && sums[i]?.constant === 0 && reaches(part.extent, extents[i], known),
  );
  return { independent: true, covers: full && free, once };
}
const no: Points = { independent: false, covers: false, once: false };

const reaches = (extent: Expr, wanted: Expr | undefined, known: Known): boolean =>
  wanted !== undefined && provably(binary(">=", extent, wanted), known);

interface Around {
  readonly known: Known;
  readonly around: readonly Stmt[];
  readonly extents: readonly Expr[];
  /** No condition takes a point away. */
  readonly free: boolean;
}

/** The same where loops permute tiles, and axes inside of a tile are numbers in mixed radix. */
function permutedPoints(sums: readonly Linear[], { known, around, extents, free }: Around): Points {
  const found = permuted(sums, known, (atom) => digitOf(atom, known) !== undefined);
  const parts = (found?.inside ?? []).flatMap((sum) => radix(sum, known) ?? []);
  const elements = parts.flatMap((part) => intOf(part.extent) ?? []);
  if (!found || elements.length < sums.length) return no;
  const once = eachOnce(parts, around, known, found.loops);
  const tiles = once === undefined ? undefined : found.tilesOf(elements);
  if (once === undefined || !tiles) return no;
  const full = tiles.every((n, i) => reaches(int(n * (elements[i] ?? 0)), extents[i], known));
  return { independent: true, covers: full && free, once };
}

/** Whether every digit of each loop is in one axis; undefined where digits of a loop overlap. */
function eachOnce(
  parts: readonly Radix[],
  around: readonly Stmt[],
  known: Known,
  except: ReadonlySet<Var> = new Set(),
): boolean | undefined {
  const digits = parts.flatMap((part) => part.digits);
  let once = true;
  for (const s of around) {
    if (s.kind !== "for" || except.has(s.variable)) continue;
    const mine = digits.filter((d) => d.of === s.variable).toSorted((a, b) => a.low - b.low);
    let next: Expr = int(1);
    for (const d of mine) {
      const begin = intOf(next);
      if (begin === undefined || d.low < begin) return undefined;
      if (d.low > begin) once = false;
      next = mul(int(d.low), d.extent);
    }
    if (!sameExpr(simplify(next, known), simplify(s.extent, known))) once = false;
  }
  return once;
}
