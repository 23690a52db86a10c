import {
  blockIdx,
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
import { isSeen, type MaskBlock, type MaskTensors, type Visible } from "./list.ts";

/** Warps of a block of threads: each looks at a block of keys. */
const WARPS = 16;
const [HIDDEN, PARTLY, FULL] = [0, 1, 2];

/** What a kernel is made for beside the function: which of the tensors it looks at there are, and of how many dimensions. */
export type Ranks = Readonly<Record<string, number>>;

/**
 * Looks at every query and key, and lists the blocks of keys that each block of queries visits; one that would visit none visits the first, all of which is hidden. A block of threads lists those of
 * one block of queries, of one head and batch: blockIdx.x, y and z.
 */
export function makeLister(visible: Visible, ranks: Ranks, size: MaskBlock) {
  const dims = (rank: number): readonly number[] => Array.from({ length: rank }, (_, i) => i);
  const ofData = Object.entries(ranks).map(([name, rank]) => [`data.${name}`, dims(rank)] as const);
  return kernel(
    { block: 32 * WARPS, dynamic: { counts: dims(4), blocks: dims(4), ...Object.fromEntries(ofData) } },
    function attentionMask(counts: Tensor<"i32", 4>, blocks: Tensor<"i32", 4>, data: MaskTensors, queries: i32, keys: i32) {
      const [at, head, batch] = [blockIdx.x, blockIdx.y, blockIdx.z];
      const kinds = sharedMemory.alloc("i32", [WARPS]);
      const numbers = blocks.at(batch, head, at);
      const all = numbers.shape[0];
      let [full, partly] = [0, 0];
      for (const first of range(0, all, WARPS)) {
        const block = first + warp.index;
        let [some, every] = [false, true];
        for (const query of range(at * size.queries, Math.min((at + 1) * size.queries, queries)))
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
          for (const w of range(0, Math.min(WARPS, all - first))) {
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
      counts.at(batch, head, at, 0).store(full);
      counts.at(batch, head, at, 1).store(partly);
    },
  );
}
