import type { Tensor, TMA } from "warpsmith";
import { blockIdx, cluster, f16, fence, i32, kernel, Mbarriers, range, sharedMemory, staticRange, threadIdx } from "warpsmith";
import { type Case, defineCase, input, mapOf, output } from "./case.ts";
import { count } from "./numbers.ts";
import { meet } from "./parts.ts";

const ranks = kernel({ block: 32, grid: 8, cluster: 4 }, function ranks(out: Tensor<"i32", 2>) {
  out[blockIdx.x]![threadIdx.x] = cluster.rank * 100 + cluster.size * 10 + cluster.index.x;
});

/** Each block of a pair brings half of a tile to both. */
const multicast = kernel(
  { block: 128, grid: 4, cluster: 2 },
  function multicast(x: TMA<"i32", 2>, out: Tensor<"i32", 3>, ready: Tensor<"i32", 1>) {
    const tile = sharedMemory.alloc("i32", [2, 8, 32], { align: 128 });
    const bar = new Mbarriers(1).at(0);
    if (threadIdx.x === 0) {
      bar.init(1);
      fence.mbarrierInit();
    }
    meet(ready, 4);
    if (threadIdx.x === 0) {
      bar.arrive({ tx: tile.bytes });
      const half = cluster.rank;
      x.load(tile.at(half), bar, [0, half * 8], { multicast: 0b11 });
    }
    bar.wait(false);
    for (const e of range(threadIdx.x, 512, 128))
      out.at(blockIdx.x, e >> 5, e & 31).store(tile.at(e >> 8, (e >> 5) & 7, e & 31).load());
    meet(ready, 8);
  },
);

/** Blocks arrive at the barrier of the first one. */
const remote = kernel({ block: 32, grid: 4, cluster: 4 }, function remote(out: Tensor<"i32", 1>, ready: Tensor<"i32", 1>) {
  const bar = new Mbarriers(1).at(0);
  if (threadIdx.x === 0) {
    bar.init(4 * 32);
    fence.mbarrierInit();
  }
  meet(ready, 4);
  out.at(0).atomic("add", 1);
  fence.acqRel("cluster");
  bar.arrive({ rank: 0 });
  if (cluster.rank === 0) {
    bar.wait(false);
    if (threadIdx.x === 0) out[1] = out.at(0).loadAcquire();
  }
  meet(ready, 8);
});

/** Each block brings half of a tile to both; the barrier of the cluster stands before the first use of a peer and after the last. */
const pair = kernel({ block: 128, grid: 4, cluster: 2 }, function pair(x: TMA<"i32", 2>, out: Tensor<"i32", 3>) {
  const tile = sharedMemory.alloc("i32", [2, 8, 32], { align: 128 });
  const bar = new Mbarriers(1).at(0);
  if (threadIdx.x === 0) {
    bar.init(1);
    fence.mbarrierInit();
  }
  cluster.sync();
  if (threadIdx.x === 0) {
    bar.arrive({ tx: tile.bytes });
    x.load(tile.at(cluster.rank), bar, [0, cluster.rank * 8], { multicast: 0b11 });
  }
  bar.wait(false);
  cluster.arrive({ relaxed: true });
  for (const e of range(threadIdx.x, 512, 128))
    out.at(blockIdx.x, e >> 5, e & 31).store(tile.at(e >> 8, (e >> 5) & 7, e & 31).load());
  cluster.wait();
});

/** What a block has written to global memory, its peer reads after the barrier. */
const exchange = kernel({ block: 64, grid: 4, cluster: 2 }, function exchange(out: Tensor<"i32", 2>, sums: Tensor<"i32", 2>) {
  const mine = blockIdx.x,
    peer = blockIdx.x ^ 1;
  out[mine]![threadIdx.x] = mine * 1000 + threadIdx.x;
  cluster.arrive();
  cluster.wait();
  sums[mine]![threadIdx.x] = out[mine]![threadIdx.x]! + out[peer]![63 - threadIdx.x]!;
});

/** Blocks read, write and add to each other's shared memory, and arrive at each other's barriers. */
const mapped = kernel({ block: 64, grid: 8, cluster: 4 }, function mapped(out: Tensor<"i32", 2>, sums: Tensor<"i32", 1>) {
  const mine = sharedMemory.alloc("i32", [2, 64]);
  const wide = sharedMemory.alloc("f16", [64, 64], { swizzle: "128B" });
  const total = sharedMemory.alloc("i32", [1]);
  const bar = new Mbarriers(2).at(1);
  const t = threadIdx.x;
  if (t === 0) {
    bar.init(3 * 64);
    fence.mbarrierInit();
    total[0] = 0;
  }
  mine[0]![t] = blockIdx.x * 100 + t;
  for (const c of range(64)) wide[t]![c] = f16(t + c + cluster.rank);
  cluster.sync();
  const next = (cluster.rank + 1) & 3;
  // A row that is known when compiling, one that is not, a vector.
  cluster
    .map(mine, next)
    .at(1, t)
    .store(blockIdx.x * 1000 + t);
  const far = cluster.map(mine.at(0), (cluster.rank + 2) & 3);
  const [a, b] = far.at((t * 2) & 62).load({ vector: 2 });
  const there = cluster.map(wide.subview([8, 0], [8, 64]), next);
  const element = i32(there[t & 7]![63 - t]!);
  cluster.map(total, 0).at(0).atomic("add", t);
  for (const r of staticRange(4)) cluster.map(bar, r).arrive({ pred: r !== cluster.rank });
  bar.wait(false);
  cluster.sync();
  out[blockIdx.x]![t] = mine[1]![t]! + a! + b! + element;
  if (t === 0) sums[blockIdx.x] = total[0]!;
});

/** What `mapped` leaves for one thread. */
function mappedElement(block: number, t: number): number {
  const first = block & ~3;
  const [before, next, far] = [first + ((block + 3) & 3), (block + 1) & 3, first + ((block + 2) & 3)];
  return before * 1000 + t + (far * 100 + ((t * 2) & 62)) * 2 + 1 + (8 + (t & 7) + 63 - t + next);
}

export const clusterCases: readonly Case[] = [
  defineCase("cluster/mapped", mapped, () => ({
    args: [
      output(
        "i32",
        [8, 64],
        count(512).map((e) => mappedElement(e >> 6, e & 63)),
      ),
      output(
        "i32",
        [8],
        count(8).map((b) => (b % 4 === 0 ? 4 * 2016 : 0)),
      ),
    ],
  })),
  defineCase("cluster/ranks", ranks, () => ({
    args: [
      output(
        "i32",
        [8, 32],
        count(256).map((e) => ((e >> 5) % 4) * 100 + 40 + (e >> 7)),
      ),
    ],
  })),
  defineCase("cluster/multicast", multicast, () => ({
    args: [
      mapOf(input("i32", [16, 32], count(512)), { box: [8, 32] }),
      output(
        "i32",
        [4, 16, 32],
        count(2048).map((e) => e % 512),
      ),
      output("i32", [1], [8], { initial: [0] }),
    ],
  })),
  defineCase("cluster/pair", pair, () => ({
    args: [
      mapOf(input("i32", [16, 32], count(512)), { box: [8, 32] }),
      output(
        "i32",
        [4, 16, 32],
        count(2048).map((e) => e % 512),
      ),
    ],
  })),
  defineCase("cluster/exchange", exchange, () => ({
    args: [
      output(
        "i32",
        [4, 64],
        count(256).map((e) => (e >> 6) * 1000 + (e & 63)),
      ),
      output(
        "i32",
        [4, 64],
        count(256).map((e) => (e >> 6) * 1000 + ((e >> 6) ^ 1) * 1000 + 63),
      ),
    ],
  })),
  defineCase("cluster/remoteArrive", remote, () => ({
    args: [output("i32", [2], [128, 128], { initial: [0, 0] }), output("i32", [1], [8], { initial: [0] })],
  })),
];
