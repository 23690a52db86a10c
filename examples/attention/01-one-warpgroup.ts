import {
  blockIdx, fast, fence, kernel, Mbarriers, range, sharedMemory, syncThreads, threadIdx, tile, TMA, tma, WGMMAMatrix, warpgroup,
  namedBarrier, f16,
} from "warpsmith";
import type { Heads } from "./heads.ts";

const D = 128, Q = 64, KV = 128;

/** O = softmax(Q Kᵀ / √D) V of each head: 64 queries for each block, whose one warpgroup loads a block of keys and values, and waits for it. */
export const attention = kernel(
  { block: 128, grid: (q) => [q.shape[1] / Q, q.shape[0]] },
  function attention(q: TMA<"f16", 3>, k: TMA<"f16", 3>, v: TMA<"f16", 3>, o: TMA<"f16", 3>) {
    const queries = sharedMemory.alloc("f16", [Q, D], { swizzle: "128B" });
    const keys = sharedMemory.alloc("f16", [KV, D], { swizzle: "128B" });
    const values = sharedMemory.alloc("f16", [KV, D], { swizzle: "128B" });
    const bars = new Mbarriers(2), ready = bars.at(0), loaded = bars.at(1), mine = namedBarrier(1, 128);
    if (threadIdx.x === 0) {
      ready.init(1);
      loaded.init(1);
      fence.mbarrierInit();
    }
    syncThreads();
    const row = blockIdx.x * Q, head = blockIdx.y, scale = Math.LOG2E / Math.sqrt(D);
    if (threadIdx.x === 0) {
      ready.arrive({ tx: queries.bytes });
      q.load(queries, ready, [0, row, head]);
    }
    const queryTile = WGMMAMatrix.descriptor(queries, [Q, D]);
    const keyTile = WGMMAMatrix.descriptor(keys.transpose(1, 0), [D, KV]), valueTile = WGMMAMatrix.descriptor(values, [KV, D]);
    let O = WGMMAMatrix.accumulator("f32", [Q, D]);
    let largest = tile.max(WGMMAMatrix.accumulator("f32", [Q, KV]).tile - 1e30, 1), sum = tile.max(O, 1);
    ready.wait(false);

    for (const j of range(k.shape[1] / KV)) {
      if (threadIdx.x === 0) {
        loaded.arrive({ tx: keys.bytes + values.bytes });
        k.load(keys, loaded, [0, j * KV, head]);
        v.load(values, loaded, [0, j * KV, head]);
      }
      loaded.wait(j % 2 === 1);
      const S = WGMMAMatrix.accumulator("f32", [Q, KV]).mma(queryTile, keyTile, { accumulate: false, wait: 0 });
      const s = S.tile * scale, before = largest;
      largest = Math.max(before, tile.max(s, 1));
      const p = fast.exp2(s - tile.expand(largest, 1)), shrink = fast.exp2(before - largest);
      sum = sum * shrink + tile.sum(p, 1);
      O = O.scale(tile.expand(shrink, 1)).mma(WGMMAMatrix.fromRegisters(f16(p)), valueTile, { wait: 0 });
      syncThreads();                                     // every warp is done with the block, which the next one overwrites
    }

    mine.sync();                                       // every warp is done with the queries, whose memory the output takes
    O.scale(tile.expand(1 / sum, 1)).convert("f16").store(queries);
    fence.proxyAsync();
    mine.sync();
    if (warpgroup.thread === 0) {
      o.store(queries.reshape(1, Q, D), [0, row, head]);
      tma.commit();
      tma.wait(0);
    }
  },
);

const map = (x: Heads, rows: number) => new TMA(x, { box: [1, rows, 64], swizzle: "128B" });
export const args = (q: Heads, k: Heads, v: Heads, o: Heads) => [map(q, Q), map(k, KV), map(v, KV), map(o, Q)] as const;
