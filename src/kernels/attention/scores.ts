import type { Accumulator } from "warpsmith";
import { fail } from "../errors.ts";
import type { QueryTile, Sizes } from "./blocks.ts";
import type { Geometry } from "./geometry.ts";
import { isSeen, type MaskTensors } from "./mask/list.ts";
import type { Masked } from "./mask/masked.ts";
import type { Problem } from "./problem.ts";

/** What becomes of each score, the product times the scale, before the softmax. */
export type Score = (score: number, query: number, key: number, head: number, batch: number, data: never) => number;

/** The author's function, and the tensors that it looks at, where it does. */
export interface Scoring {
  readonly score: Score;
  readonly data: MaskTensors | undefined;
}

/** W7615. */
const refuseResult = (name: string, given: string): never => fail("W7615", { name, what: "score function", given });

/** What the author's function gives, which is a number. */
function checked(score: Score, result: number): number {
  "use kernel";
  return typeof result === "number" ? result : refuseResult(score.name, typeof result);
}

/** Lengths below this are near: a query's place, a key's and what is between them are numbers that f32 holds, which the compiler is to know. */
export const NEAR = 2 ** 23;

/** A place that is below NEAR where lengths are: the same number, and the compiler knows. */
const placeOf = ({ near }: Problem, place: number): number => {
  "use kernel";
  return near ? place & (NEAR - 1) : place;
};

/** A query and a key of which a score is asked for. */
interface Pair extends Pick<Sizes, "queries" | "keys"> {
  readonly query: number;
  readonly key: number;
  readonly head: number;
  readonly batch: number;
  /** Whether there may be no such key. */
  readonly masked: boolean;
}

/** What the author makes of a score. A function that looks at tensors is told of a query and a key that there are. */
function scoreOf({ score, data }: Scoring, value: number, { query, key, head, batch, queries, keys, masked }: Pair): number {
  "use kernel";
  // The function and its data come together, and have been checked: `Score` takes whatever data.
  if (!data) return checked(score, score(value, query, key, head, batch, {} as never));
  const there = Math.min(query, queries - 1);
  const near = masked ? Math.max(0, Math.min(key, keys - 1)) : key;
  return checked(score, score(value, there, near, head, batch, data as never)); // the same
}

/** Whether a query sees a key by the author's mask, which is told of head 0, and batch 0, where it has one for all; of packed sequences it is told which one. */
function seenIn(
  { visible, lists, data }: Masked,
  { packed }: Problem,
  query: number,
  key: number,
  { head, batch }: Pick<QueryTile, "head" | "batch">,
): boolean {
  "use kernel";
  const { shape } = lists.blocks;
  const told = packed ? batch : shape[0] === 1 ? 0 : batch;
  return isSeen(visible, query, key, shape[1] === 1 ? 0 : head, told, data);
}

/** The scores of block `j` for 64 queries from `row` on: what the author makes of them, and -Infinity where a key is hidden. */
export function scoresOf(
  { problem, plan }: Geometry,
  scoring: Scoring | undefined,
  S: Accumulator,
  { row: row0, head, batch, sizes: { queries, keys } }: QueryTile,
  j: number,
  masked: boolean,
  mask: Masked | undefined,
): Accumulator {
  "use kernel";
  const { causal, window, scale } = problem;
  if (!masked && !scoring) return S;
  const first = j * plan.keys;
  const own = row0 + keys - queries - first;
  const [query0, key0] = [placeOf(problem, row0), placeOf(problem, first)];
  return S.map((s, row, col) => {
    const value = scoring
      ? scoreOf(scoring, s * scale, { query: query0 + row, key: key0 + col, head, batch, queries, keys, masked })
      : s;
    if (!masked) return value;
    let seen = col < keys - first;
    if (mask) {
      // Asked of every key, as no place is beyond the end, so that nothing here is a branch.
      const unhidden = seenIn(mask, problem, Math.min(row0 + row, queries - 1), Math.min(first + col, keys - 1), { head, batch });
      seen = seen && unhidden;
    }
    if (causal || window !== undefined) seen = seen && col < own + row + (causal ? 1 : (window ?? 0));
    if (window !== undefined) seen = seen && col > own + row - window;
    return seen ? value : -Infinity;
  });
}
