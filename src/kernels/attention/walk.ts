import { type Pipeline, range, type SharedView, type TMA } from "warpsmith";
import { type Blocks, blocksIn, blocksOf, listedAt, type QueryTile, type Sizes, tileAt } from "./blocks.ts";
import type { Geometry } from "./geometry.ts";
import { listOf } from "./mask/list.ts";
import type { Masked } from "./mask/masked.ts";
import type { HalfType } from "./problem.ts";
import { type Sequences, tileIn } from "./sequences.ts";

export type HeadsMap = TMA<HalfType, 4>;

/** What a block of threads has in common. */
export interface Common {
  readonly geometry: Geometry;
  readonly sizes: Sizes;
  readonly mask: Masked | undefined;
  /** Where sequences begin, where they are packed. */
  readonly sequences: Sequences | undefined;
  /** Queries of each consumer, [consumers, 64, d]: their memory takes the output when it is done. */
  readonly q: SharedView<HalfType, 3>;
  /** [stages, keys, d]. */
  readonly k: SharedView<HalfType, 3>;
  /** [stages, keys, dv]. */
  readonly v: SharedView<HalfType, 3>;
  /** By how much what is taken off scores was raised, [consumers, 64]. */
  readonly raised: SharedView<"f32", 2>;
  /** A stage for each consumer. */
  readonly queries: Pipeline;
  readonly keys: Pipeline;
  readonly values: Pipeline;
  /** The numbers of the block's tiles: every `step`-th from `from` on, below `tiles`. */
  readonly from: number;
  readonly step: number;
  readonly tiles: number;
}

/** Visits a block's tiles; those of packed sequences that have queries and no keys are left to `blank`. */
export function walk(
  common: Common,
  visit: (tile: QueryTile, blocks: Blocks) => void,
  blank: ((tile: QueryTile) => void) | undefined,
) {
  "use kernel";
  const { geometry, sizes, mask, sequences, from, step, tiles } = common;
  const visitBlocks = (tile: QueryTile) => {
    if (!mask) return visit(tile, blocksOf(geometry, tile));
    const list = listOf(mask.lists, mask.block, listedAt(tile, mask.block), tile.head, tile.batch);
    visit(tile, blocksIn(geometry, list));
  };
  const go = (number: number) => {
    if (!sequences) return visitBlocks(tileAt(geometry, sizes, number));
    const tile = tileIn(geometry, sizes, sequences, number);
    const { queries, keys } = tile.sizes;
    if (tile.row < 0 || tile.row >= queries) return;
    if (keys > 0) visitBlocks(tile);
    else if (blank) blank(tile);
  };
  if (geometry.plan.persistent) for (const number of range(from, tiles, step)) go(number);
  else go(from);
}
