import { cdiv } from "warpsmith";
import type { Geometry } from "./geometry.ts";
import { type List, type MaskBlock, numberIn } from "./mask/list.ts";
import { ROWS } from "./plan.ts";

/** The lengths of a launch, and its heads: those of queries, of all batches. */
export interface Sizes {
  readonly queries: number;
  readonly keys: number;
  readonly heads: number;
  readonly batches: number;
}

/** Queries of one head that a block computes. */
export interface QueryTile {
  /** The first one, within its sequence. */
  readonly row: number;
  readonly head: number;
  readonly batch: number;
  /** Of its sequence. */
  readonly sizes: Sizes;
  /** Where the sequence's queries and keys begin among all, where sequences are packed. */
  readonly begin?: { readonly query: number; readonly key: number };
}

/** How many tiles one above the other, and of which heads. */
interface Tiles {
  readonly tall: number;
  readonly heads: number;
}

/** Where tile `number` lies: heads in groups, of a group all last tiles before the last but one, because these have the most keys where the mask is causal. */
export function orderOf({ plan }: Geometry, { tall, heads: all }: Tiles, number: number) {
  "use kernel";
  const section = Math.trunc(number / (tall * plan.group));
  const first = section * plan.group;
  const within = number - first * tall;
  const width = Math.min(plan.group, all - first);
  const up = Math.trunc(within / width);
  const index = first + (within - up * width);
  return { up, index };
}

/** The tile of that number. */
export function tileAt(geometry: Geometry, sizes: Sizes, number: number): QueryTile {
  "use kernel";
  const { queries, heads, batches } = sizes;
  const height = geometry.plan.consumers * ROWS;
  const tall = cdiv(queries, height);
  const { up, index } = orderOf(geometry, { tall, heads: heads * batches }, number);
  return { row: (tall - 1 - up) * height, head: index % heads, batch: Math.trunc(index / heads), sizes };
}

/** The first tile of the `number`-th of the sequences that lie one behind the other, where it begins at query `begin`, of tiles of `height` queries. */
export const firstTileOf = (height: number, begin: number, number: number): number => {
  "use kernel";
  return Math.trunc(begin / height) + number;
};

/** The number of a tile's block of queries, among those that a mask has lists of. */
export function listedAt({ row, batch, begin }: QueryTile, block: MaskBlock): number {
  "use kernel";
  const within = Math.trunc(row / block.queries);
  return begin ? firstTileOf(block.queries, begin.query, batch) + within : within;
}

/** Where row `row` of a tile's sequence, of that head, lies in a map of queries. */
export function queryAt({ head, batch, begin }: QueryTile, row: number): readonly [number, number, number, number] {
  "use kernel";
  return begin ? [0, begin.query + row, head, 0] : [0, row, head, batch];
}

/** Where key `key` of a tile's sequence, of that head, lies in a map of keys or values. */
export function keyAt({ batch, begin }: QueryTile, key: number, kvHead: number): readonly [number, number, number, number] {
  "use kernel";
  return begin ? [0, begin.key + key, kvHead, 0] : [0, key, kvHead, batch];
}

/**
 * The blocks of keys that a tile's queries see, from the last one down to `first`: `last` is the first to be computed, masked where a mask there is. From `last` - 1
 * to `free` they are masked, from there to `left` no key is hidden from any query, and those below are masked again.
 */
export interface Blocks {
  readonly last: number;
  readonly free: number;
  readonly left: number;
  readonly first: number;
  /** Where there is a mask these are places in its list, which has the blocks' numbers. */
  readonly list?: List;
}

/** Blocks that a mask lists: masked ones come first, from the last place down. */
export function blocksIn({ plan }: Geometry, list: List): Blocks {
  "use kernel";
  const parts = list.keys / plan.keys;
  const last = list.count * parts - 1;
  return { last, free: Math.min(list.full * parts, last), left: 0, first: 0, list };
}

/** The number of block `j`. */
export function numberOf({ plan }: Geometry, { list }: Blocks, j: number): number {
  "use kernel";
  return list ? numberIn(list, j, plan.keys) : j;
}

export function blocksOf({ problem, plan }: Geometry, { row, sizes: { queries, keys } }: QueryTile): Blocks {
  "use kernel";
  const { causal, window } = problem;
  const height = plan.consumers * ROWS;
  const own = row + keys - queries; // the key that stands at the first query's place
  const reach = causal ? 0 : (window ?? 1) - 1; // keys behind its own that a query sees
  const bounded = causal || window !== undefined;
  const end = bounded ? Math.max(1, Math.min(keys, own + height + reach)) : keys;
  const last = cdiv(end, plan.keys) - 1;
  const begin = window === undefined ? 0 : Math.max(0, own - window + 1);
  const first = window === undefined ? 0 : Math.min(last, Math.trunc(begin / plan.keys));
  if (!bounded) return { last, free: last, left: first, first };
  const seen = Math.trunc(Math.max(0, Math.min(keys, own + 1 + reach)) / plan.keys);
  const free = Math.min(Math.max(seen, first), last);
  if (window === undefined) return { last, free, left: first, first };
  const whole = cdiv(Math.max(0, own + height - window), plan.keys);
  return { last, free, left: Math.min(Math.max(whole, first), free), first };
}
