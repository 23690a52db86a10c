// Cooperative launches: a barrier of the grid, again and again, in grids and blocks of several dimensions.
import { blockIdx, type f32, grid, gridDim, kernel, range, type Static, type Tensor, threadIdx } from "warpsmith";
import { type Case, defineCase, input, output } from "./case.ts";
import { integers } from "./numbers.ts";

const count = (n: number): number[] => Array.from({ length: n }, (_, i) => i);

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

export const cooperativeCases: readonly Case[] = [
  ...[1, 2, 5].map((times) =>
    defineCase(`cooperative/rounds-${times}`, rounds, () => {
      const expected = count(12).map((b) => ((b + times) % 12) + times);
      return { args: [input("i32", [2, 12], new Array(24).fill(0)), output("i32", [12], expected), times] };
    }),
  ),
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
];
