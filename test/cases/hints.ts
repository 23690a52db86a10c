// Loads and stores with what the caches are to do, and prefetches: the values are those of plain ones.

import type { CacheHint, Eviction, Static, Tensor, TMA } from "warpsmith";
import { blockIdx, fence, kernel, Mbarriers, range, sharedMemory, syncThreads, threadIdx, tma } from "warpsmith";
import { type Case, defineCase, input, mapOf, output } from "./case.ts";
import { integers } from "./numbers.ts";

const copy = kernel(
  { block: 32, grid: 2 },
  function copy(x: Tensor<"f32", 1>, y: Tensor<"f32", 1>, evict: Static<Eviction>, l2: Static<64 | 128 | 256>) {
    const i = blockIdx.x * 32 + threadIdx.x;
    x.at(4 * i).prefetch({ pred: i < 32 });
    x.at(4 * i).prefetch({ level: "L1" });
    x.at(4 * i).prefetch({ level: "L2", evict: "last" });
    x.at(4 * i).prefetch({ evict: "normal" });
    const [a, b] = x.at(4 * i).load({ vector: 2, evict, l2 });
    const c = x.at(4 * i + 2).load({ cache: "nc", evict, l2 });
    const d = x.at(4 * i + 3).load({ l2, pred: i > 3, other: -1 });
    y.at(4 * i).store([a!, b!], { evict });
    y.at(4 * i + 2).store([c, d], { evict, pred: i < 60 });
  },
);

/** Every way to say what the L2 cache is to do with accesses of threads. */
const policies = kernel(
  { block: 32, grid: 1 },
  function policies(x: Tensor<"f32", 1>, y: Tensor<"f32", 1>, cacheHint: Static<CacheHint>) {
    const t = threadIdx.x;
    const [a, b] = x.at(2 * t).load({ vector: 2, cacheHint, l2: 64 });
    const c = x.at(64 + t).load({ cache: "nc", cacheHint, pred: t > 3, other: -1 });
    y.at(t).store(a! + 2 * c, { cacheHint, cache: "cs" });
    y.at(32 + 2 * t).store([a! - c, b! - c], { cacheHint, evict: "first" });
  },
);

/** The same of bulk copies, with and without a map: `twice` gets the sum of what both bring, three times. */
const copied = kernel(
  { block: 32, grid: 1 },
  function copied(
    from: TMA<"f32", 2>,
    to: TMA<"f32", 2>,
    x: Tensor<"f32", 1>,
    y: Tensor<"f32", 1>,
    twice: Tensor<"f32", 1>,
    cacheHint: Static<CacheHint>,
  ) {
    const box = sharedMemory.alloc("f32", [4, 32], { align: 128 });
    const row = sharedMemory.alloc("f32", [128], { align: 128 });
    const bar = new Mbarriers(1).at(0);
    const t = threadIdx.x;
    if (t === 0) {
      bar.init(1);
      fence.mbarrierInit();
      bar.arrive({ tx: box.bytes + row.bytes });
      from.load(box, bar, [0, 0], { cacheHint });
      tma.bulkLoad(row, x, bar, { cacheHint });
    }
    syncThreads();
    bar.wait(false);
    for (const i of range(4)) row.at(32 * i + t).value += box.at(i, t).load();
    fence.proxyAsync();
    syncThreads();
    if (t === 0) {
      tma.bulkStore(y, row, { cacheHint });
      to.reduce("add", row.reshape(4, 32), [0, 0], { cacheHint });
      tma.bulkReduce("add", twice, row, { cacheHint });
      tma.commit();
      tma.wait(0);
      to.store(row.reshape(4, 32), [0, 4], { cacheHint });
      tma.commit();
      tma.wait(0);
    }
  },
);

const policyCases = (
  [
    "evictUnchanged",
    { primary: "evictLast", fraction: 0.5 },
    { primary: "evictNormal", fraction: 0.25, secondary: "evictFirst" },
    { primary: "evictFirst", fraction: 1, secondary: "evictUnchanged" },
  ] satisfies readonly CacheHint[]
).flatMap((hint: CacheHint) => {
  const name = typeof hint === "string" ? hint : Object.values(hint).join("-");
  const x = integers(256, 1, 99, 32);
  const at = (i: number): number => x[i] ?? 0;
  return [
    defineCase(`hints/policy-${name}`, policies, () => {
      const lanes = Array.from({ length: 32 }, (_, t) => t);
      const c = (t: number): number => (t > 3 ? at(64 + t) : -1);
      const y = [...lanes.map((t) => at(2 * t) + 2 * c(t)), ...lanes.flatMap((t) => [at(2 * t) - c(t), at(2 * t + 1) - c(t)])];
      return { args: [input("f32", [256], x), output("f32", [96], y), hint] };
    }),
    defineCase(`hints/policy-copied-${name}`, copied, () => {
      const [a, b] = [x.slice(0, 128), x.slice(128, 256)];
      const sum = a.map((v, i) => v + (b[i] ?? 0));
      const first = integers(256, 1, 9, 33);
      const to = first.map((v, i) => (i < 128 ? v + (sum[i] ?? 0) : (sum[i - 128] ?? 0)));
      return {
        args: [
          mapOf(input("f32", [4, 32], a), { box: [4, 32] }),
          mapOf(output("f32", [8, 32], to, { initial: first }), { box: [4, 32] }),
          input("f32", [128], b),
          output("f32", [128], sum),
          output(
            "f32",
            [128],
            sum.map((v, i) => v + at(i)),
            { initial: x.slice(0, 128) },
          ),
          hint,
        ],
      };
    }),
  ];
});

const evictionCases = (["first", "last", "normal", "unchanged", "noAllocate"] as const).map((evict, n) =>
  defineCase(`hints/${evict}`, copy, () => {
    const data = integers(256, 1, 99, 31);
    const expected = data.map((v, i) => (i >= 240 && i % 4 > 1 ? 0 : i < 16 && i % 4 === 3 ? -1 : v));
    const zeros = data.map(() => 0);
    const l2 = [64, 128, 256][n % 3] as 64 | 128 | 256;
    return { args: [input("f32", [256], data), output("f32", [256], expected, { initial: zeros }), evict, l2] };
  }),
);

export const hintCases: readonly Case[] = [...evictionCases, ...policyCases];
