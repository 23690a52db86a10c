// `tile.gather`: elements by index along an axis, of tiles and indices in different layouts.

import type { DType, Layout, Static, Tensor } from "warpsmith";
import { BlockedLayout, kernel, MMALayout, SliceLayout, tile, WGMMALayout } from "warpsmith";
import { type Case, defineCase, input, output } from "./case.ts";
import { integers } from "./numbers.ts";
import type { Any } from "./wgmma.ts";

const rows = new BlockedLayout({ perThread: [1, 4], threads: [2, 16], warps: [4, 1] });
const columns = new BlockedLayout({ perThread: [4, 1], threads: [8, 4], warps: [1, 4], order: [0, 1] });
const line = new BlockedLayout({ perThread: [2], threads: [32], warps: [4] });
/** Each warp has whole rows, each of whose lanes has one element of the row. */
const lanes = new BlockedLayout({ perThread: [1, 1], threads: [1, 32], warps: [4, 1] });
const halves = new BlockedLayout({ perThread: [1, 1], threads: [2, 16], warps: [4, 1] });
const upright = new BlockedLayout({ perThread: [1, 2], threads: [8, 4], warps: [1, 4], order: [0, 1] });

const gathers = kernel(
  { block: 128, grid: 1 },
  function gathers(
    x: Tensor<Any>,
    n: Tensor<Any>,
    y: Tensor<Any>,
    from: Static<Layout>,
    to: Static<Layout>,
    axis: Static<number>,
    times: Static<number>,
  ) {
    const begin = x.shape.map(() => 0);
    const t = x.loadTile(begin, [...x.shape], from);
    const indices = n.loadTile(begin, [...n.shape], to);
    let got = tile.gather(t, indices, axis);
    for (let i = 1; i < times; i++) got = tile.gather(got, indices, axis);
    y.storeTile(begin, got);
  },
);

interface Given {
  readonly dtype?: DType;
  readonly indexType?: DType;
  readonly shape: readonly number[];
  /** Indices along the axis, where there are not as many as elements. */
  readonly count?: number;
  readonly axis?: number;
  readonly from: Layout;
  readonly to?: Layout;
  /** So many times, of what came before. */
  readonly times?: number;
  readonly seed?: number;
}

function gatherCase(name: string, given: Given): Case {
  const { dtype = "f32", indexType = "i32", shape, axis = 0, from, to = from, times = 1, seed = 3 } = given;
  return defineCase(`tile-gather/${name}`, gathers, () => {
    const extent = shape[axis] ?? 1;
    const wanted = shape.with(axis, given.count ?? extent);
    const size = (list: readonly number[]): number => list.reduce((n, e) => n * e, 1);
    const inner = size(shape.slice(axis + 1));
    const indices = integers(size(wanted), 0, extent - 1, seed);
    const x = integers(size(shape), 0, 100, seed + 1);
    const at = (list: readonly number[], i: number): number => {
      const outer = Math.floor(i / inner / (wanted[axis] ?? 1));
      return list[(outer * extent + (indices[i] ?? 0)) * inner + (i % inner)] ?? 0;
    };
    let y = x;
    for (let n = 0; n < times; n++) {
      const before = y;
      y = indices.map((_, i) => at(before, i));
    }
    const typed = (list: readonly number[]) => (dtype === "i64" ? list.map(BigInt) : list);
    return {
      args: [
        input(dtype, shape, typed(x)),
        input(indexType, wanted, indices),
        output(dtype, wanted, typed(y)),
        from,
        to,
        axis,
        times,
      ],
    };
  });
}

export const tileGatherCases: readonly Case[] = [
  gatherCase("line", { shape: [512], from: line }),
  gatherCase("line-i64", { dtype: "i64", shape: [256], from: line, count: 1024 }),
  gatherCase("rows", { shape: [32, 64], axis: 1, from: rows }),
  gatherCase("rows-u8", { dtype: "u8", shape: [32, 64], axis: 0, from: rows, indexType: "u8" }),
  gatherCase("columns", { dtype: "f16", shape: [32, 64], axis: 0, from: columns, to: rows, count: 8, indexType: "u32" }),
  gatherCase("wgmma", { shape: [64, 32], axis: 1, from: new WGMMALayout(), to: rows, count: 64 }),
  gatherCase("to-wgmma", { shape: [64, 32], axis: 0, from: new MMALayout({ warps: [2, 2] }), to: new WGMMALayout() }),
  gatherCase("few", { dtype: "bf16", shape: [4, 4], axis: 1, from: rows }),
  gatherCase("slice", { shape: [64], from: new SliceLayout(0, rows), to: line, count: 256 }),
  gatherCase("lanes", { shape: [16, 32], axis: 1, from: lanes, times: 2 }),
  gatherCase("lanes-f16", { dtype: "f16", shape: [8, 16], axis: 1, from: halves }),
  gatherCase("lanes-i64", { dtype: "i64", shape: [8, 32], axis: 1, from: lanes, indexType: "u8" }),
  gatherCase("lanes-upright", { shape: [8, 64], axis: 0, from: upright }),
];
