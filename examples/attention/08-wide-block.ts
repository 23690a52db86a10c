import {
  blockIdx, type Accumulator, fence, fma, helper, ptx, staticRange, wgmma, syncWarp, kernel, namedBarrier, Pipeline, range, sharedMemory, syncThreads, tile, TMA, tma, WGMMAMatrix, warp,
  warpgroup,
} from "warpsmith";
import type { Heads } from "./heads.ts";

const D = 128, Q = 64, KV = 176, STAGES = 2, CONSUMERS = 2;

/** 2^x in one instruction: 0 where it is below the least normal number. */
const exp2 = helper((x: number) => ptx("ex2.approx.ftz.f32 $0, $1;", { out: "f32", pure: true }, x));

/** Sums of a row that stay apart for each thread: columns of 8. */
const partsOf = helper((weights: Accumulator) => {
  let parts = weights.columns(0, 8);
  for (const c of staticRange(8, KV, 8)) parts = parts.zip(weights.columns(c, 8), (a, b) => a + b);
  return parts;
});

/** Blocks of 176 keys, as many as the registers hold. The last block, which may have fewer, comes first, so that one place masks. */
export const attention = kernel(
  { block: 128 * (1 + CONSUMERS), grid: (q) => [q.shape[1] / (Q * CONSUMERS), q.shape[0]] },
  function attention(q: TMA<"f16", 3>, k: TMA<"f16", 3>, v: TMA<"f16", 3>, o: TMA<"f16", 3>) {
    const qTiles = sharedMemory.alloc("f16", [CONSUMERS, Q, D], { swizzle: "128B" });
    const kTiles = sharedMemory.alloc("f16", [STAGES, KV, D], { swizzle: "128B" });
    const vTiles = sharedMemory.alloc("f16", [STAGES, KV, D], { swizzle: "128B" });
    const allRaised = sharedMemory.alloc("f32", [CONSUMERS, Q]);
    const queries = new Pipeline({ stages: 1 }), keys = new Pipeline({ stages: STAGES, consumers: 4 * CONSUMERS });
    const values = new Pipeline({ stages: STAGES, consumers: 4 * CONSUMERS }); // a warp hands a stage back when it is done with it
    for (const pipe of [queries, keys, values]) pipe.init({ sync: false });
    syncThreads();
    const row0 = blockIdx.x * Q * CONSUMERS, head = blockIdx.y, blocks = Math.ceil(k.shape[1] / KV), scale = Math.LOG2E / Math.sqrt(D);

    warpgroup.specialize({
      producer: { registers: 24, run: () => {
        if (warpgroup.thread !== 0) return;
        q.load(qTiles.reshape(CONSUMERS * Q, D), queries.producer().acquire(qTiles.bytes), [0, row0, head]);
        let putK = keys.producer(), putV = values.producer();
        for (const j of range(blocks - 1, -1, -1)) {
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
        const mayMultiply = namedBarrier(3 + wg, 256), otherMay = namedBarrier(4 - wg, 256);
        if (wg === 1) otherMay.arrive();                   // the other one begins
        const raised = allRaised.at(wg);
        let getK = keys.consumer(), getV = values.consumer();
        queries.consumer().wait();
        getK.wait();
        let S = WGMMAMatrix.accumulator("f32", [Q, KV]).mma(queryTile, keyTiles.at(getK.index), { accumulate: false, wait: 0 });
        getK.release({ pred: first });
        getK = getK.next();
        const left = k.shape[1] - (blocks - 1) * KV;        // keys of the last block, which comes first
        if (left < KV) S = S.map((s, _row, col) => (col < left ? s : -Infinity));
        let off = tile.max(S, 1) * -scale;                 // what is taken off every score, times the scale
        let weights = S.zip(tile.expand(off, 1), (s, off) => exp2(fma(s, scale, off)));
        let sums = partsOf(weights), P = weights.convert("f16"), O = WGMMAMatrix.accumulator("f32", [Q, D]);

        for (const _ of range(blocks - 1)) {
          getK.wait();
          mayMultiply.sync();
          S = WGMMAMatrix.accumulator("f32", [Q, KV]).mma(queryTile, keyTiles.at(getK.index), { accumulate: false });
          getV.wait();
          O = O.mma(WGMMAMatrix.fromRegisters(P), valueTiles.at(getV.index));          // of the block before
          otherMay.arrive();
          wgmma.wait(1);
          getK.release({ pred: first });
          const needed = tile.max(S, 1) * -scale, before = off;
          off = tile.where(before - needed > 8, needed, before); // weights may become 2^8
          raised.store(before - off);
          weights = S.zip(tile.expand(off, 1), (s, off) => exp2(fma(s, scale, off)));
          const shrink = exp2(off - before);
          sums = sums.scale(tile.expand(shrink, 1)).zip(partsOf(weights), (a, b) => a + b);
          wgmma.wait(0);
          getV.release({ pred: first });
          syncWarp();
          if (warp.any(raised.at(16 * (warp.index % 4) + warp.lane % 16).load() > 0)) O = O.scale(tile.expand(shrink, 1));
          syncWarp();
          P = weights.convert("f16");
          getK = getK.next();
          getV = getV.next();
        }
        getV.wait();
        O = O.mma(WGMMAMatrix.fromRegisters(P), valueTiles.at(getV.index), { wait: 0 });
        getV.release({ pred: first });

        mine.sync();                                       // every warp is done with the queries, whose memory the output takes
        O.scale(tile.expand(1 / tile.sum(sums, 1), 1)).convert("f16").store(out);
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
