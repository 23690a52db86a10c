import type { Accumulator } from "warpsmith";
import { fail } from "../../diag/index.ts";
import type { QueryTile, Sizes } from "./blocks.ts";
import type { Geometry } from "./geometry.ts";

/** What becomes of each score, the product times the scale, before the softmax. */
export type Score = (score: number, query: number, key: number, head: number, batch: number) => number;

/** W7615. */
const refuseResult = (name: string, given: string): never => fail("W7615", { name, what: "score function", given });

/** What the author's function gives, which is a number. */
function checked(score: Score, result: number): number {
  "use kernel";
  return typeof result === "number" ? result : refuseResult(score.name, typeof result);
}

/** The scores of block `j` for 64 queries from `row` on: what the author makes of them, and -Infinity where a key is hidden. */
export function scoresOf(
  { problem, plan }: Geometry,
  score: Score | undefined,
  S: Accumulator,
  { row: row0, head, batch }: QueryTile,
  j: number,
  masked: boolean,
  { queries, keys }: Sizes,
): Accumulator {
  "use kernel";
  const { causal, window, scale } = problem;
  if (!masked && !score) return S;
  const first = j * plan.keys;
  const own = row0 + keys - queries - first;
  return S.map((s, row, col) => {
    const value = score ? checked(score, score(s * scale, row0 + row, first + col, head, batch)) : s;
    if (!masked) return value;
    let seen = col < keys - first;
    if (causal || window !== undefined) seen = seen && col < own + row + (causal ? 1 : (window ?? 0));
    if (window !== undefined) seen = seen && col > own + row - window;
    return seen ? value : -Infinity;
  });
}
