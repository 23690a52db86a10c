import { assert, type Tensor } from "warpsmith";
import { firstTileOf, orderOf, type QueryTile, type Sizes } from "./blocks.ts";
import type { Geometry } from "./geometry.ts";
import { ROWS } from "./plan.ts";

/** Where sequences begin among all queries, and among all keys, and where the last one ends: [sequences + 1]. */
export interface Sequences {
  readonly queries: Tensor<"i32", 1>;
  readonly keys: Tensor<"i32", 1>;
}

/** Where sequence `index` begins; what the author's tensor says is held within what there is. */
function beginOf(begins: Tensor<"i32", 1>, index: number, all: number): number {
  "use kernel";
  return Math.max(0, Math.min(begins.at(index).load(), all));
}

/** That no sequence ends before it begins: each thread of the launch looks at one, as there are at least as many blocks as sequences. `listed`: where they began when a mask listed its blocks. */
export function checkSequences(
  { queries, keys }: Sequences,
  number: number,
  batches: number,
  listed: Tensor<"i32", 2> | undefined,
): void {
  "use kernel";
  const at = Math.min(number, batches - 1);
  assert(queries.at(at).load() <= queries.at(at + 1).load(), "cuSeqlens goes down behind element {}", at);
  assert(
    keys.at(at).load() <= keys.at(at + 1).load(),
    "the begins of keys, cuSeqlensKeys or cuSeqlens, go down behind element {}",
    at,
  );
  if (!listed) return;
  for (const i of [at, at + 1])
    for (const [row, begins] of [queries, keys].entries())
      assert(
        listed.at(row, i).load() === begins.at(i).load(),
        "element {} of the begins of sequences has changed since the mask listed its blocks: update() the mask",
        i,
      );
}

/** The tile of that number. */
export function tileIn(geometry: Geometry, sizes: Sizes, sequences: Sequences, number: number): QueryTile {
  "use kernel";
  const height = geometry.plan.consumers * ROWS;
  const tall = Math.trunc(sizes.queries / height) + sizes.batches;
  const { up, index: head } = orderOf(geometry, { tall, heads: sizes.heads }, number);
  return { ...placeIn(height, sizes, sequences, tall - 1 - up), head };
}

/**
 * Tile `at` of those of `height` queries. Sequence s has the tiles from begin / height + s on, rounded down: at least as many as it fills, so that where a sequence's tiles begin is known without a sum over those before it.
 * One that it does not fill has a row behind its queries, and one in front of all sequences has a row below 0.
 */
export function placeIn(
  height: number,
  { queries, keys, heads, batches }: Sizes,
  sequences: Sequences,
  at: number,
): Omit<QueryTile, "head"> {
  "use kernel";
  const firstOf = (s: number): number => firstTileOf(height, beginOf(sequences.queries, s, queries), s);
  let [batch, beyond] = [batches - batches, batches];
  while (beyond - batch > 1) {
    const middle = (batch + beyond) >> 1;
    if (firstOf(middle) <= at) batch = middle;
    else beyond = middle;
  }
  const begin = { query: beginOf(sequences.queries, batch, queries), key: beginOf(sequences.keys, batch, keys) };
  const length = {
    queries: beginOf(sequences.queries, batch + 1, queries) - begin.query,
    keys: Math.max(0, beginOf(sequences.keys, batch + 1, keys) - begin.key),
  };
  return { row: (at - firstOf(batch)) * height, batch, sizes: { ...length, heads, batches }, begin };
}
