/**
 * Axes whose tiles several loops permute together, such as blocks of the launch in the order of `swizzleBlocks`. No rule of numbers in mixed radix says so:
 * all iterations of those loops are tried.
 */
import { intOf } from "../ir/build.ts";
import { numberOf } from "../ir/evaluate.ts";
import { type Linear, sumExpr, type Term } from "../ir/linear.ts";
import type { Known } from "../ir/simplify.ts";
import type { Expr, Var } from "../ir/types.ts";
import { variablesOf } from "../ir/walk.ts";

/** Iterations that are tried; of more nothing is said. */
const most = 65_536;

/** What permuted loops leave of the axes: where each tile begins, by its number, and what lies inside of a tile. */
export interface Permuted {
  /** The loops that permute. */
  readonly loops: ReadonlySet<Var>;
  /** Each axis inside of a tile. */
  readonly inside: readonly Linear[];
  /** How many tiles each axis has where each is of so many elements; undefined where the loops do not take each tile once. */
  readonly tilesOf: (elements: readonly number[]) => readonly number[] | undefined;
}

/** The loops that permute tiles, where `isDigit` tells what is plain; undefined where there are none, or they cannot be told from others. */
export function permuted(sums: readonly Linear[], known: Known, isDigit: (atom: Expr) => boolean): Permuted | undefined {
  const loops = new Set(
    sums.flatMap((s) => [...s.terms.values()].flatMap(({ atom }) => (isDigit(atom) ? [] : variablesOf(atom)))),
  );
  const extents = [...loops].map((v) => extentOf(v, known));
  const count = extents.reduce<number>((n, extent) => n * (extent ?? Infinity), 1);
  if (loops.size === 0 || count > most) return undefined;
  const mine = ({ atom }: Term): boolean => variablesOf(atom).some((v) => loops.has(v));
  const alone = ({ atom }: Term): boolean => variablesOf(atom).every((v) => loops.has(v));
  if (sums.some((s) => [...s.terms.values()].some((t) => mine(t) && !alone(t)))) return undefined;
  const part = (s: Linear, wanted: boolean): ReadonlyMap<string, Term> =>
    new Map([...s.terms].filter(([, t]) => mine(t) === wanted));
  const begins = sums.map((s) => sumExpr({ terms: part(s, true), constant: s.constant }));
  return {
    loops,
    inside: sums.map((s) => ({ terms: part(s, false), constant: 0 })),
    tilesOf: (elements) => tilesTakenOnce(begins, [...loops], extents as readonly number[], elements),
  };
}

function extentOf(v: Var, known: Known): number | undefined {
  const bounds = known.get(v);
  const last = bounds && intOf(bounds.min) === 0 ? intOf(bounds.max) : undefined;
  return last === undefined ? undefined : last + 1;
}

/** How many tiles each axis has, if the loops take each of them once. */
function tilesTakenOnce(
  begins: readonly Expr[],
  loops: readonly Var[],
  extents: readonly number[],
  elements: readonly number[],
): readonly number[] | undefined {
  const count = extents.reduce((n, extent) => n * extent, 1);
  const values = new Map<Var, number>();
  const taken: (readonly number[])[] = [];
  for (let n = 0; n < count; n++) {
    loops.reduce((rest, v, i) => {
      values.set(v, rest % (extents[i] ?? 1));
      return Math.floor(rest / (extents[i] ?? 1));
    }, n);
    const tile = begins.map((e, i) => (numberOf(e, values) ?? Number.NaN) / (elements[i] ?? 1));
    if (!tile.every((t) => Number.isInteger(t) && t >= 0)) return undefined;
    taken.push(tile);
  }
  const tiles = begins.map((_, i) => taken.reduce((last, t) => Math.max(last, t[i] ?? 0), 0) + 1);
  if (tiles.reduce((n, of) => n * of, 1) !== count) return undefined;
  const places = new Set(taken.map((tile) => tile.reduce((at, t, i) => at * (tiles[i] ?? 1) + t, 0)));
  return places.size === count ? tiles : undefined;
}
