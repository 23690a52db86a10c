// Shared memory in layouts that TMA does not know: by tiles, by single elements, by vectors; several dimensions, other orders, parts of a buffer.

import type { DType, i32, Layout, SharedLayout, Static, Tensor } from "warpsmith";
import {
  BlockedLayout,
  kernel,
  NVMMASharedLayout,
  PaddedSharedLayout,
  range,
  SwizzledSharedLayout,
  sharedMemory,
  staticRange,
  syncThreads,
  threadIdx,
} from "warpsmith";
import { type Case, defineCase, input, output } from "./case.ts";
import { integers } from "./numbers.ts";
import type { Any } from "./wgmma.ts";

const [R, C] = [32, 64];
const rows = new BlockedLayout({ perThread: [1, 8], threads: [4, 8], warps: [4, 1] });
const columns = new BlockedLayout({ perThread: [4, 1], threads: [8, 4], warps: [1, 4], order: [0, 1] });

/** Written by tiles in one layout of registers, read in another, then element by element, by columns and through a part of the buffer. */
const through = kernel(
  { block: 128, grid: 1 },
  function through(
    x: Tensor<Any, 2>,
    y: Tensor<Any, 2>,
    z: Tensor<Any, 2>,
    w: Tensor<Any, 2>,
    dtype: Static<Any>,
    layout: Static<SharedLayout>,
    into: Static<Layout>,
    out: Static<Layout>,
  ) {
    const shared = sharedMemory.alloc(dtype, [32, 64], { layout });
    shared.store(x.loadTile([0, 0], [32, 64], into));
    syncThreads();
    y.storeTile([0, 0], shared.load(out));
    for (const c of range(16)) {
      const [row, col] = [threadIdx.x & 31, (threadIdx.x >> 5) * 16 + c];
      z[col]![row] = shared[row]![col]!;
    }
    syncThreads();
    const part = shared.subview([16, 32], [16, 32]);
    for (const r of range(4)) part[(threadIdx.x >> 5) * 4 + r]![threadIdx.x & 31] = shared[r]![threadIdx.x & 31]!;
    syncThreads();
    w.storeTile([0, 0], shared.load(rows));
  },
);

function throughCase(name: string, dtype: DType, layout: SharedLayout, into: Layout, out: Layout): Case {
  return defineCase(`shared-layouts/${name}-${dtype}`, through, () => {
    const x = integers(R * C, 0, 100, 4);
    const at = (r: number, c: number): number => x[r * C + c] ?? 0;
    const matrix = (rows: number, cols: number, f: (r: number, c: number) => number): number[] =>
      Array.from({ length: rows * cols }, (_, i) => f(Math.floor(i / cols), i % cols));
    return {
      args: [
        input(dtype, [R, C], x),
        output(dtype, [R, C], x),
        output(
          dtype,
          [C, R],
          matrix(C, R, (c, r) => at(r, c)),
        ),
        output(
          dtype,
          [R, C],
          matrix(R, C, (r, c) => (r >= 16 && c >= 32 ? at((r - 16) & 3, c - 32) : at(r, c))),
        ),
        dtype,
        layout,
        into,
        out,
      ],
    };
  });
}

/** Stages, vectors of single threads, a buffer with the first dimension fastest. */
const stages = kernel({ block: 64, grid: 1 }, function stages(x: Tensor<"i32", 3>, y: Tensor<"i32", 3>, n: i32) {
  const padded = sharedMemory.alloc("i32", [3, 8, 32], { layout: new PaddedSharedLayout({ every: 32, by: 4 }) });
  const turned = sharedMemory.alloc("i32", [8, 32], {
    layout: new SwizzledSharedLayout({ vector: 1, perPhase: 1, maxPhase: 8, order: [0, 1] }),
  });
  const [row, col] = [threadIdx.x >> 3, (threadIdx.x & 7) * 4];
  for (const s of range(n)) padded.at(s, row, col).store(x.at(s, row, col).load({ vector: 4 }));
  syncThreads();
  for (const s of range(n)) {
    const v = padded.at(s, 7 - row, 28 - col).load({ vector: 4 });
    for (const i of staticRange(4)) turned[row]![col + i] = v[3 - i]! + s;
    syncThreads();
    for (const i of range(4))
      y[s]![threadIdx.x & 7]![(threadIdx.x >> 3) * 4 + i] = turned[threadIdx.x & 7]![(threadIdx.x >> 3) * 4 + i]!;
    syncThreads();
  }
});

const stagesCase: Case = defineCase("shared-layouts/stages", stages, () => {
  const x = integers(3 * 8 * 32, -50, 50, 8);
  const y = x.map((_, i) => {
    const [s, r, c] = [Math.floor(i / 256), Math.floor(i / 32) % 8, i % 32];
    return (x[s * 256 + (7 - r) * 32 + 31 - c] ?? 0) + s;
  });
  return { args: [input("i32", [3, 8, 32], x), output("i32", [3, 8, 32], y), 3] };
});

const of = (vector: number, perPhase: number, maxPhase: number, order?: number[]): SharedLayout =>
  new SwizzledSharedLayout({ vector, perPhase, maxPhase, ...(order ? { order } : {}) });

export const sharedLayoutCases: readonly Case[] = [
  throughCase("swizzled-8-1-8", "f16", of(8, 1, 8), rows, columns),
  throughCase("swizzled-4-1-8", "f16", of(4, 1, 8), rows, rows),
  throughCase("swizzled-2-2-4", "bf16", of(2, 2, 4), columns, rows),
  throughCase("swizzled-1-1-32", "f32", of(1, 1, 32), rows, columns),
  throughCase("swizzled-4-2-4", "f32", of(4, 2, 4), rows, columns),
  throughCase("swizzled-16-1-4", "u8", of(16, 1, 4), rows, columns),
  throughCase("swizzled-turned", "f32", of(4, 1, 8, [0, 1]), columns, rows),
  throughCase("padded-64-1", "f32", new PaddedSharedLayout({ every: 64, by: 1 }), rows, columns),
  throughCase("padded-64-8", "f16", new PaddedSharedLayout({ every: 64, by: 8 }), rows, rows),
  throughCase("padded-16-2", "u16", new PaddedSharedLayout({ every: 16, by: 2 }), rows, columns),
  throughCase("padded-256-4", "i32", new PaddedSharedLayout({ every: 256, by: 4 }), columns, rows),
  throughCase("nvmma-128B", "f16", new NVMMASharedLayout({ swizzle: "128B", dtype: "f16" }), rows, columns),
  throughCase("nvmma-turned", "f16", new NVMMASharedLayout({ swizzle: "64B", dtype: "f16", transposed: true }), columns, rows),
  stagesCase,
];
