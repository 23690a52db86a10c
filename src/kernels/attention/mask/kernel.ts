import {
  blockIdx,
  cdiv,
  type i32,
  kernel,
  range,
  sharedMemory,
  staticRange,
  syncThreads,
  type Tensor,
  threadIdx,
  warp,
} from "warpsmith";
import { placeIn, type Sequences } from "../sequences.ts";
import { isSeen, type MaskBlock, type MaskTensors, type Visible } from "./list.ts";

/** Warps of a block of threads: each looks at a block of keys. */
const WARPS = 16;
const [HIDDEN, PARTLY, FULL] = [0, 1, 2];

/** What a kernel is made for beside the function: which of the tensors it looks at there are, and of how many dimensions. */
export type Ranks = Readonly<Record<string, number>>;

/** Where packed sequences begin, and where their begins are noted. */
export interface Listed extends Partial<Sequences> {
  readonly begins?: Tensor<"i32", 2>;
}

/** The queries of a block: from `row` on, of those of their sequence. */
interface Rows {
  readonly row: number;
  /** The number of the sequence, or of the batch. */
  readonly batch: number;
  readonly queries: number;
  readonly keys: number;
  /** Blocks of keys. */
  readonly blocks: number;
}

/** Those of block `at` of packed sequences. One that has no queries has no blocks of keys. */
function rowsOf(size: MaskBlock, begins: Sequences, at: number, queries: number, keys: number): Rows {
  "use kernel";
  const all = { queries, keys, heads: 1, batches: begins.queries.shape[0] - 1 };
  const { row, batch, sizes } = placeIn(size.queries, all, begins, at);
  const blocks = row >= 0 && row < sizes.queries ? cdiv(sizes.keys, size.keys) : 0;
  return { row, batch, queries: sizes.queries, keys: sizes.keys, blocks };
}

/** Notes where sequences begin: there are at least as many blocks of threads as sequences. */
function note({ queries, keys }: Sequences, begins: Tensor<"i32", 2>, number: number) {
  "use kernel";
  if (number >= begins.shape[1]) return;
  begins.at(0, number).store(queries.at(number).load());
  begins.at(1, number).store(keys.at(number).load());
}

/**
 * Looks at every query and key, and lists the blocks of keys that each block of queries visits; one that would visit none visits the first, all of which is hidden. A block of threads lists those of
 * one block of queries, of one head and batch: blockIdx.x, y and z. Of packed sequences a block of queries is of one of them, and so are the numbers of its blocks of keys.
 */
export function makeLister(visible: Visible, ranks: Ranks, size: MaskBlock, isPacked: boolean) {
  const dims = (rank: number): readonly number[] => Array.from({ length: rank }, (_, i) => i);
  const ofData = Object.entries(ranks).map(([name, rank]) => [`data.${name}`, dims(rank)] as const);
  const ofPacked: Readonly<Record<string, readonly number[]>> = isPacked
    ? { "packed.queries": [0], "packed.keys": [0], "packed.begins": [1] }
    : {};
  return kernel(
    { block: 32 * WARPS, dynamic: { counts: dims(4), blocks: dims(4), ...Object.fromEntries(ofData), ...ofPacked } },
    function attentionMask(
      counts: Tensor<"i32", 4>,
      blocks: Tensor<"i32", 4>,
      data: MaskTensors,
      packed: Listed,
      allQueries: i32,
      allKeys: i32,
    ) {
      const [at, head, batchOfAll] = [blockIdx.x, blockIdx.y, blockIdx.z];
      const kinds = sharedMemory.alloc("i32", [WARPS]);
      const numbers = blocks.at(batchOfAll, head, at);
      const all = numbers.shape[0];
      const sequences = packed.queries && packed.keys ? { queries: packed.queries, keys: packed.keys } : undefined;
      const rows = sequences
        ? rowsOf(size, sequences, at, allQueries, allKeys)
        : { row: at * size.queries, batch: batchOfAll, queries: allQueries, keys: allKeys, blocks: all };
      const { row, batch, queries, keys } = rows;
      if (sequences && packed.begins && head === 0) note(sequences, packed.begins, at * 32 * WARPS + threadIdx.x);
      let [full, partly] = [0, 0];
      for (const first of range(0, rows.blocks, WARPS)) {
        const block = first + warp.index;
        let [some, every] = [false, true];
        for (const query of range(row, Math.min(row + size.queries, queries)))
          for (const part of staticRange(0, size.keys, 32)) {
            const key = block * size.keys + part + warp.lane;
            const seen = key < keys && isSeen(visible, query, Math.min(key, keys - 1), head, batch, data);
            some = some || seen;
            every = every && seen;
          }
        const kind = warp.all(every) ? FULL : warp.any(some) ? PARTLY : HIDDEN;
        if (warp.lane === 0) kinds[warp.index] = kind;
        syncThreads();
        if (threadIdx.x === 0)
          for (const w of range(0, Math.min(WARPS, rows.blocks - first))) {
            const found = kinds.at(w).load();
            if (found === FULL) numbers.at(full).store(first + w);
            if (found === PARTLY) numbers.at(all - 1 - partly).store(first + w);
            full += found === FULL ? 1 : 0;
            partly += found === PARTLY ? 1 : 0;
          }
        syncThreads();
      }
      if (threadIdx.x !== 0) return;
      if (full + partly === 0) {
        numbers.at(all - 1).store(0);
        partly = 1;
      }
      counts.at(batchOfAll, head, at, 0).store(full);
      counts.at(batchOfAll, head, at, 1).store(partly);
    },
  );
}
