import {
  blockIdx, f16, fast, fence, kernel, namedBarrier, Pipeline, range, sharedMemory, syncThreads, tile, TMA, tma, WGMMAMatrix, warp,
  warpgroup,
} from "warpsmith";
import type { Heads } from "./heads.ts";

const D = 128, Q = 64, KV = 128, STAGES = 2, CONSUMERS = 1;

/** As step 1, but a warpgroup of its own loads, up to two blocks ahead. */
export const attention = kernel(
  { block: 128 * (1 + CONSUMERS), grid: (q) => [q.shape[1] / (Q * CONSUMERS), q.shape[0]] },
  function attention(q: TMA<"f16", 3>, k: TMA<"f16", 3>, v: TMA<"f16", 3>, o: TMA<"f16", 3>) {
    const qTiles = sharedMemory.alloc("f16", [CONSUMERS, Q, D], { swizzle: "128B" });
    const kTiles = sharedMemory.alloc("f16", [STAGES, KV, D], { swizzle: "128B" });
    const vTiles = sharedMemory.alloc("f16", [STAGES, KV, D], { swizzle: "128B" });
    const queries = new Pipeline({ stages: 1 }), keys = new Pipeline({ stages: STAGES, consumers: 4 * CONSUMERS });
    const values = new Pipeline({ stages: STAGES, consumers: 4 * CONSUMERS }); // a warp hands a stage back when it is done with it
    for (const pipe of [queries, keys, values]) pipe.init({ sync: false });
    syncThreads();
    const row0 = blockIdx.x * Q * CONSUMERS, head = blockIdx.y, blocks = k.shape[1] / KV, scale = Math.LOG2E / Math.sqrt(D);

    warpgroup.specialize({
      producer: { registers: 24, run: () => {
        if (warpgroup.thread !== 0) return;
        q.load(qTiles.reshape(CONSUMERS * Q, D), queries.producer().acquire(qTiles.bytes), [0, row0, head]);
        let putK = keys.producer(), putV = values.producer();
        for (const j of range(blocks)) {
          k.load(kTiles.at(putK.index), putK.acquire(kTiles.at(0).bytes), [0, j * KV, head]);
          v.load(vTiles.at(putV.index), putV.acquire(vTiles.at(0).bytes), [0, j * KV, head]);
          putK = putK.next();
          putV = putV.next();
        }
      } },

      consumer: { warpgroups: CONSUMERS, registers: 240, run: (wg) => {
        const out = qTiles.at(wg), mine = namedBarrier(1 + wg, 128), first = warp.lane === 0, row = row0 + wg * Q;
        const queryTile = WGMMAMatrix.descriptor(out, [Q, D]);
        const keyTiles = WGMMAMatrix.descriptor(kTiles.transpose(0, 2, 1), [D, KV]), valueTiles = WGMMAMatrix.descriptor(vTiles, [KV, D]);
        let O = WGMMAMatrix.accumulator("f32", [Q, D]);
        let largest = tile.max(WGMMAMatrix.accumulator("f32", [Q, KV]).tile - 1e30, 1), sum = tile.max(O, 1);
        let getK = keys.consumer(), getV = values.consumer();
        queries.consumer().wait();

        for (const _ of range(blocks)) {
          getK.wait();
          const S = WGMMAMatrix.accumulator("f32", [Q, KV]).mma(queryTile, keyTiles.at(getK.index), { accumulate: false, wait: 0 });
          getK.release({ pred: first });
          const s = S.tile * scale, before = largest;
          largest = Math.max(before, tile.max(s, 1));
          const p = fast.exp2(s - tile.expand(largest, 1)), shrink = fast.exp2(before - largest);
          sum = sum * shrink + tile.sum(p, 1);
          getV.wait();
          O = O.scale(tile.expand(shrink, 1)).mma(WGMMAMatrix.fromRegisters(f16(p)), valueTiles.at(getV.index), { wait: 0 });
          getV.release({ pred: first });
          getK = getK.next();
          getV = getV.next();
        }

        mine.sync();                                       // every warp is done with the queries, whose memory the output takes
        O.scale(tile.expand(1 / sum, 1)).convert("f16").store(out);
        fence.proxyAsync();
        mine.sync();
        if (warpgroup.thread === 0) {
          o.store(out.reshape(1, Q, D), [0, row, head]);
          tma.commit();
          tma.wait(0);
        }
      } },
    });
  },
);

const map = (x: Heads, rows: number) => new TMA(x, { box: [1, rows, 64], swizzle: "128B" });
export const args = (q: Heads, k: Heads, v: Heads, o: Heads) => [map(q, Q), map(k, KV), map(v, KV), map(o, Q)] as const;
