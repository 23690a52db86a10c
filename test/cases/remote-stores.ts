// Stores and combinations in another block of the cluster that complete bytes of an mbarrier there.

import type { DType, RemoteReduceOp, Static, Tensor } from "warpsmith";
import { asyncCopy, cluster, fence, kernel, Mbarriers, range, sharedMemory, threadIdx } from "warpsmith";
import { type Case, defineCase, input, output } from "./case.ts";
import { integers } from "./numbers.ts";
import type { Any } from "./wgmma.ts";

/** Every thread gives as many neighbours to the next block of a ring; one thread there has said how many bytes come, or the sender does. */
const ring = kernel(
  { block: 32, grid: 4, cluster: 4 },
  function ring(
    x: Tensor<Any, 2>,
    y: Tensor<Any, 2>,
    dtype: Static<DType>,
    each: Static<number>,
    expects: Static<"receiver" | "sender" | "apart">,
  ) {
    const row = sharedMemory.alloc(dtype as Any, [32 * each]);
    const bar = new Mbarriers(1).at(0);
    const next = (cluster.rank + 1) % 4;
    const one = threadIdx.x === 0;
    if (one) {
      bar.init(1);
      fence.mbarrierInit();
    }
    cluster.sync();
    if (one && expects === "receiver") bar.arrive({ tx: row.bytes });
    if (one && expects === "sender") bar.arrive({ tx: row.bytes, rank: next });
    if (one && expects === "apart") {
      const there = cluster.map(bar, next);
      there.expectTx(row.bytes);
      there.arrive();
    }
    const at = each * threadIdx.x;
    const values = Array.from({ length: each }, (_, i) => x.at(cluster.rank, at + i).load());
    asyncCopy.store(row.at(at), each === 1 ? values[0]! : values, bar, next);
    bar.wait(false);
    for (const i of range(threadIdx.x, 32 * each, 32)) y.at(cluster.rank, i).store(row[i]!);
    cluster.sync();
  },
);

function ringCase(dtype: DType, each: number, expects: "receiver" | "sender" | "apart"): Case {
  return defineCase(`remote-stores/${dtype}-${each}-${expects}`, ring, () => {
    const wide = dtype === "i64";
    const row = 32 * each;
    const data = integers(4 * row, 0, 99, 21).map((n) => (wide ? BigInt(n) : n));
    const expected = data.map((_, i) => data[(i + 3 * row) % (4 * row)]!);
    return { args: [input(dtype, [4, row], data), output(dtype, [4, row], expected), dtype, each, expects] };
  });
}

/** All threads of both blocks combine with one element of block 0, but for those where `pred` is false. */
const combine = kernel(
  { block: 32, grid: 2, cluster: 2 },
  function combine(y: Tensor<Any, 1>, dtype: Static<DType>, op: Static<RemoteReduceOp>, first: Static<number | bigint>) {
    const cell = sharedMemory.alloc(dtype as Any, [1]);
    const bar = new Mbarriers(1).at(0);
    const one = threadIdx.x === 0;
    if (one) {
      bar.init(1);
      fence.mbarrierInit();
      cell[0] = first as number;
      bar.arrive({ tx: 62 * cell.bytes });
      fence.proxyAsync();
    }
    cluster.sync();
    const value = dtype === "i64" || dtype === "u64" ? 3n : 3;
    asyncCopy.reduce(op, cell.at(0), value as number, bar, 0, { pred: threadIdx.x > 0 });
    if (cluster.rank === 0) {
      bar.wait(false);
      if (one) y[0] = cell[0]!;
    }
    cluster.sync();
  },
);

const combinations: readonly (readonly [RemoteReduceOp, DType, number, number])[] = [
  ["add", "i32", -100, 86],
  ["add", "u32", 1, 187],
  ["add", "i64", -100, 86],
  ["add", "u64", 1, 187],
  ["min", "i32", 7, 3],
  ["min", "i32", -7, -7],
  ["max", "u32", 2, 3],
  ["inc", "u32", 0, 2],
  ["dec", "u32", 3, 1],
  ["and", "i32", 6, 2],
  ["or", "u32", 4, 7],
  ["xor", "i32", 5, 5],
];

export const remoteStoreCases: readonly Case[] = [
  ringCase("f32", 1, "receiver"),
  ringCase("i32", 4, "sender"),
  ringCase("f32", 2, "apart"),
  ringCase("i64", 2, "receiver"),
  ringCase("f16", 2, "receiver"),
  ringCase("bf16", 8, "sender"),
  ringCase("u8", 4, "receiver"),
  ringCase("f64", 1, "apart"),
  ...combinations.map(([op, dtype, first, last]) =>
    defineCase(`remote-stores/${op}-${dtype}-${first}`, combine, () => {
      const wide = dtype.endsWith("64");
      const of = (n: number): number | bigint => (wide ? BigInt(n) : n);
      return { args: [output(dtype, [1], [of(last)]), dtype, op, of(first)] };
    }),
  ),
];
