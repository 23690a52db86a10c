// Bulk copies without a tensor map: loads to several blocks, stores, reductions of every kind, copies to another block.

import type { CacheHint, DType, ReduceOp, Static, Tensor } from "warpsmith";
import { cluster, fence, kernel, Mbarriers, range, sharedMemory, syncThreads, threadIdx, tma } from "warpsmith";
import { type Case, defineCase, input, output } from "./case.ts";
import { count, integers } from "./numbers.ts";
import type { Any } from "./wgmma.ts";

/** Block 0 loads a row for both blocks; each stores what it has. */
const multicast = kernel(
  { block: 32, grid: 2, cluster: 2 },
  function multicast(x: Tensor<"f32", 2>, y: Tensor<"f32", 2>, hint: Static<CacheHint>) {
    const row = sharedMemory.alloc("f32", [64]);
    const bar = new Mbarriers(1).at(0);
    const one = threadIdx.x === 0;
    if (one) {
      bar.init(1);
      fence.mbarrierInit();
      tma.bulkPrefetch(x.at(1));
      bar.arrive({ tx: row.bytes });
    }
    cluster.sync();
    if (one && cluster.rank === 0) tma.bulkLoad(row, x.at(1), bar, { multicast: 0b11, cacheHint: hint });
    bar.wait(false);
    if (one) {
      tma.bulkStore(y.at(cluster.rank), row, { cacheHint: hint });
      tma.commit();
      tma.wait(0);
    }
    cluster.sync();
  },
);

/** A row of shared memory combined with one of global memory, `pred` aside. */
const reduce = kernel(
  { block: 32, grid: 1 },
  function reduce(x: Tensor<Any, 1>, y: Tensor<Any, 2>, dtype: Static<DType>, op: Static<ReduceOp>) {
    const row = sharedMemory.alloc(dtype as Any, [32]);
    row[threadIdx.x] = x[threadIdx.x]!;
    fence.proxyAsync();
    syncThreads();
    tma.bulkReduce(op, y.at(1), row, { pred: threadIdx.x === 0 });
    if (threadIdx.x === 0) {
      tma.commit();
      tma.wait(0);
    }
  },
);

const combined: Readonly<Record<ReduceOp, (y: bigint, x: bigint) => bigint>> = {
  add: (y, x) => y + x,
  min: (y, x) => (x < y ? x : y),
  max: (y, x) => (x > y ? x : y),
  inc: (y, x) => (y >= x ? 0n : y + 1n),
  dec: (y, x) => (y === 0n || y > x ? x : y - 1n),
  and: (y, x) => y & x,
  or: (y, x) => y | x,
  xor: (y, x) => y ^ x,
};

function reduceCase(op: ReduceOp, dtype: DType): Case {
  return defineCase(`bulk-copies/${op}-${dtype}`, reduce, () => {
    const least = dtype.startsWith("u") ? 0 : -9;
    const wide = dtype.endsWith("64") && dtype !== "f64";
    const of = (list: readonly number[]): (number | bigint)[] => list.map((n) => (wide ? BigInt(n) : n));
    const [x, y] = [integers(32, least, 9, 11), integers(64, least, 9, 12)];
    const expected = y.map((n, i) => (i < 32 ? n : Number(combined[op](BigInt(n), BigInt(x[i - 32]!)))));
    return { args: [input(dtype, [32], of(x)), output(dtype, [2, 32], of(expected), { initial: of(y) }), dtype, op] };
  });
}

const wide = ["i32", "u32", "i64", "u64"] as const;
const kinds: Readonly<Record<ReduceOp, readonly DType[]>> = {
  add: ["f16", "bf16", "f32", "f64", ...wide],
  min: ["f16", "bf16", ...wide],
  max: ["f16", "bf16", ...wide],
  inc: ["u32"],
  dec: ["u32"],
  and: wide,
  or: wide,
  xor: wide,
};

/** Each block of a ring gives its row to the next one. */
const ring = kernel({ block: 64, grid: 4, cluster: 4 }, function ring(y: Tensor<"i32", 2>) {
  const [own, from] = [sharedMemory.alloc("i32", [64]), sharedMemory.alloc("i32", [64])];
  const bar = new Mbarriers(1).at(0);
  const one = threadIdx.x === 0;
  if (one) {
    bar.init(1);
    fence.mbarrierInit();
    bar.arrive({ tx: from.bytes });
  }
  own[threadIdx.x] = 100 * cluster.rank + threadIdx.x;
  fence.proxyAsync();
  cluster.sync();
  if (one) tma.bulkCopy(from, own, bar, (cluster.rank + 1) % 4);
  bar.wait(false);
  for (const i of range(threadIdx.x, 64, 64)) y.at(cluster.rank, i).store(from[i]!);
  cluster.sync();
});

export const bulkCopyCases: readonly Case[] = [
  ...(["evictFirst", "evictLast", "evictNormal"] as const).map((hint) =>
    defineCase(`bulk-copies/multicast-${hint}`, multicast, () => {
      const data = integers(256, -9, 9, 4);
      const row = data.slice(64, 128);
      return { args: [input("f32", [4, 64], data), output("f32", [2, 64], [...row, ...row]), hint] };
    }),
  ),
  ...(Object.keys(kinds) as ReduceOp[]).flatMap((op) => kinds[op].map((dtype) => reduceCase(op, dtype))),
  defineCase("bulk-copies/ring", ring, () => ({
    args: [
      output(
        "i32",
        [4, 64],
        count(256).map((i) => 100 * ((Math.floor(i / 64) + 3) % 4) + (i % 64)),
      ),
    ],
  })),
];
