// `tile.sum`: rows of tiles of every type, over warpgroups, beside their tile, through loops and branches, and where they may be stored.

import type { DType, i32, Static, Tensor } from "warpsmith";
import { f16, f32, kernel, range, sharedMemory, syncThreads, threadIdx, tile, WGMMAMatrix } from "warpsmith";
import { type Case, defineCase, input, output } from "./case.ts";
import { integers } from "./numbers.ts";
import type { Any } from "./wgmma.ts";

/** One number for each row. */
const rowSums = kernel(
  { block: (_x, _sums, groups) => groups * 128, grid: 1 },
  function rowSums(x: Tensor<Any, 2>, sums: Tensor<Any, 1>, groups: Static<number>) {
    sums.storeTile([0], tile.sum(WGMMAMatrix.load(x, { warpgroups: groups }), 1));
  },
);

/** In which order `tile.sum` adds: neighbours two by two, the last one of an odd number waits. */
function tree(values: readonly number[]): number {
  let round = values;
  while (round.length > 1)
    round = round.flatMap((a, i) => {
      const b = round[i + 1];
      return i % 2 === 1 ? [] : [b === undefined ? a : Math.fround(a + b)];
    });
  return round[0] ?? 0;
}

function inOrder(row: readonly number[]): number {
  const [a = 0, b = 0, c = 0, d = 0] = [0, 1, 2, 3].map((t) => tree(row.filter((_, col) => (col >> 1) % 4 === t)));
  return Math.fround(Math.fround(a + b) + Math.fround(c + d));
}

const rowsOf = (x: readonly number[], cols: number): number[][] =>
  Array.from({ length: x.length / cols }, (_, r) => x.slice(r * cols, (r + 1) * cols));

/** What narrow integers are summed in. */
const sumTypes: { readonly [D in DType]?: DType } = { i8: "i32", i16: "i32", u8: "u32", u16: "u32" };

interface Sizes {
  readonly M?: number;
  readonly N?: number;
  readonly groups?: number;
  /** Rows of the tensor that they are stored to. */
  readonly stored?: number;
}

function typeCase(name: string, dtype: DType, { M = 64, N = 64, groups = 1, stored = M }: Sizes = {}): Case {
  return defineCase(`tile-sum/${name}`, rowSums, () => {
    const wide = dtype === "i64" || dtype === "u64";
    const x = integers(M * N, dtype.startsWith("u") ? 0 : -3, 4, 5);
    const sums = rowsOf(x, N).map((row) => row.reduce((a, b) => a + b, 0));
    const elements = (list: readonly number[]) => (wide ? list.map(BigInt) : list);
    return {
      args: [
        input(dtype, [M, N], elements(x)),
        output(sumTypes[dtype] ?? dtype, [stored], elements(sums.slice(0, stored))),
        groups,
      ],
    };
  });
}

/** Floats whose sum depends on the order of adding. */
function orderCase(N: number): Case {
  return defineCase(`tile-sum/order-n${N}`, rowSums, () => {
    const x = integers(64 * N, -(2 ** 20), 2 ** 20, 11).map((v, i) => Math.fround((v / 3) * 2 ** (i % 9)));
    return { args: [input("f32", [64, N], x), output("f32", [64], rowsOf(x, N).map(inOrder)), 1] };
  });
}

/** Each element over the sum of its row, times 64, plus its row. */
const beside = kernel(
  { block: (_x, _d, groups) => groups * 128, grid: 1 },
  function beside(x: Tensor<"f32", 2>, d: Tensor<"f32", 2>, groups: Static<number>) {
    const X = WGMMAMatrix.load(x, { warpgroups: groups });
    const sums = tile.sum(X, 1);
    const rows = tile.arange(X.shape[0], tile.info(sums).layout);
    X.zip(tile.expand((64 + f32(rows)) / sums, 1), (v, s) => v * s).store(d);
  },
);

function besideCase(groups: number): Case {
  return defineCase(`tile-sum/beside-groups${groups}`, beside, () => {
    const [M, N] = [64 * groups, 32];
    const x = integers(M * N, 1, 9, 5);
    const expected = rowsOf(x, N).flatMap((row, r) => {
      const sum = row.reduce((a, b) => a + b, 0);
      return row.map((v) => Math.fround(v * Math.fround((64 + r) / sum)));
    });
    return { args: [input("f32", [M, N], x), output("f32", [M, N], expected), groups] };
  });
}

/** Sums that a loop carries and a branch chooses, through shared memory and as another type. */
const carried = kernel(
  { block: 128, grid: 1 },
  function carried(x: Tensor<"f32", 2>, doubled: Tensor<"i32", 1>, out: Tensor<"f16", 1>, count: i32) {
    const X = WGMMAMatrix.load(x);
    let total = tile.sum(X, 1);
    for (const i of range(count)) {
      const more = tile.sum(
        X.map((v, _row, col) => (col === i ? v : 0)),
        1,
      );
      total = total + more;
    }
    if (doubled[0]! > 0) total = 2 * total;
    const shared = sharedMemory.alloc("f16", [64]);
    shared.store(f16(total));
    syncThreads();
    if (threadIdx.x < 64) out[threadIdx.x] = shared[threadIdx.x]!;
  },
);

function carriedCase(doubled: boolean): Case {
  return defineCase(`tile-sum/carried${doubled ? "-doubled" : ""}`, carried, () => {
    const [N, count] = [16, 3];
    const x = integers(64 * N, -8, 8, 7);
    const expected = rowsOf(x, N).map((row) => (doubled ? 2 : 1) * [...row, ...row.slice(0, count)].reduce((a, b) => a + b, 0));
    return { args: [input("f32", [64, N], x), input("i32", [1], [doubled ? 1 : 0]), output("f16", [64], expected), count] };
  });
}

/** Sums of all columns, or of the first eight: one lies as the other. */
const chosen = kernel(
  { block: 128, grid: 1 },
  function chosen(x: Tensor<"f32", 2>, few: Tensor<"i32", 1>, out: Tensor<"f32", 1>) {
    const X = WGMMAMatrix.load(x);
    let sums = tile.sum(X, 1);
    if (few[0]! > 0) sums = tile.sum(X.columns(0, 8), 1);
    out.storeTile([0], sums);
  },
);

function chosenCase(count: number): Case {
  return defineCase(`tile-sum/columns${count}`, chosen, () => {
    const N = 24;
    const x = integers(64 * N, -8, 8, 7);
    const expected = rowsOf(x, N).map((row) => row.slice(0, count).reduce((a, b) => a + b, 0));
    return { args: [input("f32", [64, N], x), input("i32", [1], [count < N ? 1 : 0]), output("f32", [64], expected)] };
  });
}

export const tileSumCases: readonly Case[] = [
  ...(["f32", "f16", "bf16", "f64", "i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64"] as const).map((d) => typeCase(d, d)),
  typeCase("f32-n8", "f32", { N: 8 }),
  typeCase("f32-n24", "f32", { N: 24 }),
  typeCase("f16-n256", "f16", { N: 256 }),
  typeCase("f32-groups2", "f32", { M: 128, groups: 2 }),
  typeCase("i32-groups2-m256", "i32", { M: 256, N: 16, groups: 2 }),
  typeCase("f32-m128", "f32", { M: 128 }),
  typeCase("f32-edge", "f32", { stored: 41 }),
  ...[8, 24, 64, 256].map(orderCase),
  besideCase(1),
  besideCase(2),
  carriedCase(false),
  carriedCase(true),
  chosenCase(8),
  chosenCase(24),
];
