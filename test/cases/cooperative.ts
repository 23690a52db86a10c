// Cooperative launches: a barrier of the grid, again and again, in grids and blocks of several dimensions; tiles that blocks pass on by TMA and flags.

import type { f32, Static, Tensor, TMA } from "warpsmith";
import { blockIdx, fence, grid, gridDim, kernel, Mbarriers, range, sharedMemory, syncThreads, threadIdx, tma } from "warpsmith";
import { type Case, defineCase, input, mapOf, output } from "./case.ts";
import { count, integers } from "./numbers.ts";

/** Each block takes what its neighbour wrote in the round before, and adds 1. */
const rounds = kernel(
  { block: [16, 2, 2], grid: [3, 2, 2], cooperative: true },
  function rounds(x: Tensor<"i32", 2>, out: Tensor<"i32", 1>, times: Static<number>) {
    const block = blockIdx.x + 3 * (blockIdx.y + 2 * blockIdx.z);
    const thread = threadIdx.x + 16 * (threadIdx.y + 2 * threadIdx.z);
    let seen = block;
    for (const r of range(times)) {
      if (thread === 5) x.at(r % 2, block).store(seen);
      grid.sync();
      seen = x.at(r % 2, (block + 1) % 12).load() + 1;
    }
    if (thread === 63) out[block] = seen;
  },
);

/** One block comes long after the others. */
const late = kernel({ block: 48, grid: 3, cooperative: true }, function late(x: Tensor<"i32", 1>, out: Tensor<"i32", 1>) {
  if (blockIdx.x === 1) {
    let sum = 0;
    for (const i of range(3000)) sum ^= (sum >> 3) + i;
    if (threadIdx.x === 40) x[0] = sum;
  }
  grid.sync();
  if (threadIdx.x === 33) out[blockIdx.x] = x[0]!;
});

/** A sum over the grid, by which each element is divided: two passes in one launch. */
const normalise = kernel(
  { block: 64, grid: 8, cooperative: true },
  function normalise(x: Tensor<"f32", 1>, sum: Tensor<"f32", 1>, scale: f32) {
    const i = blockIdx.x * 64 + threadIdx.x;
    sum.at(0).reduce("add", x[i]!);
    grid.sync();
    x[i] = (x[i]! * scale) / sum[0]!;
  },
);

/** In clusters, and the last of the blocks that is late. */
const clusters = kernel(
  { block: 32, grid: 8, cluster: 2, cooperative: true },
  function clusters(x: Tensor<"i32", 1>, out: Tensor<"i32", 1>) {
    if (threadIdx.x === 0) x[blockIdx.x] = blockIdx.x + 1;
    grid.sync();
    if (threadIdx.x === 31) {
      let sum = 0;
      for (const b of range(gridDim.x)) sum += x[b]!;
      out[blockIdx.x] = sum;
    }
  },
);

/** Each block takes the tile that the one before has stored, adds 1, and stores it for the next one; a flag says when. Gluon's lesson on TMA has it. */
const chain = kernel({ block: 128, grid: 4, cooperative: true }, function chain(map: TMA<"f32", 2>, flags: Tensor<"u32", 1>) {
  const tile = sharedMemory.alloc("f32", [8, 32], { align: 128 });
  const bar = new Mbarriers(1).at(0);
  const [b, one] = [blockIdx.x, threadIdx.x === 0];
  if (one) {
    bar.init(1);
    fence.mbarrierInit();
  }
  syncThreads();
  if (one) {
    if (b > 0) while (flags.at(b).loadAcquire() === 0) {}
    fence.proxyAsync();
    bar.arrive({ tx: tile.bytes });
    map.load(tile, bar, [0, 8 * b]);
  }
  bar.wait(false);
  for (const e of range(threadIdx.x, 256, 128)) tile.at(Math.trunc(e / 32), e % 32).value += 1;
  fence.proxyAsync();
  syncThreads();
  if (one) {
    map.store(tile, [0, 8 * (b + 1)]);
    tma.commit();
    tma.wait(0); // the writes, and not only the reads
    fence.proxyAsync();
    flags.at(b + 1).storeRelease(1);
  }
});

export const cooperativeCases: readonly Case[] = [
  ...[1, 2, 5].map((times) =>
    defineCase(`cooperative/rounds-${times}`, rounds, () => {
      const expected = count(12).map((b) => ((b + times) % 12) + times);
      return { args: [input("i32", [2, 12], new Array(24).fill(0)), output("i32", [12], expected), times] };
    }),
  ),
  defineCase("cooperative/late", late, () => {
    const sum = count(3000).reduce((s, i) => s ^ ((s >> 3) + i), 0);
    return { args: [output("i32", [1], [sum], { initial: [0] }), output("i32", [3], [sum, sum, sum])] };
  }),
  defineCase("cooperative/normalise", normalise, () => {
    const data = integers(512, 1, 9, 8);
    const sum = data.reduce((a, b) => a + b, 0);
    const expected = data.map((v) => Math.fround(Math.fround(v * 2) / sum));
    return {
      args: [output("f32", [512], expected, { initial: data }), output("f32", [1], [sum], { initial: [0] }), 2],
    };
  }),
  defineCase("cooperative/clusters", clusters, () => ({
    args: [input("i32", [8], new Array(8).fill(0)), output("i32", [8], new Array(8).fill(36))],
  })),
  defineCase("cooperative/chain", chain, () => {
    const first = integers(256, 1, 9, 33);
    const expected = count(5 * 256).map((i) => first[i % 256]! + Math.floor(i / 256));
    const initial = count(5 * 256).map((i) => (i < 256 ? first[i]! : 0));
    const tiles = output("f32", [40, 32], expected, { initial });
    return { args: [mapOf(tiles, { box: [8, 32] }), output("u32", [5], [0, 1, 1, 1, 1], { initial: [0, 0, 0, 0, 0] })] };
  }),
];
