// `tile.join`, `tile.split` and `tile.interleave`: pairs beside each other in a thread, in layouts of every kind.

import type { Layout, Static, Tensor } from "warpsmith";
import { BlockedLayout, kernel, LinearLayout, MMALayout, SliceLayout, tile, WGMMALayout } from "warpsmith";
import { type Case, defineCase, input, output } from "./case.ts";
import { integers } from "./numbers.ts";

const rows = new BlockedLayout({ perThread: [1, 4], threads: [2, 16], warps: [4, 1] });
const columns = new BlockedLayout({ perThread: [4, 1], threads: [8, 4], warps: [1, 4], order: [0, 1] });
const cube = new BlockedLayout({ perThread: [1, 2, 2], threads: [2, 4, 4], warps: [2, 1, 2], order: [2, 0, 1] });
/** Every lane's number turned round, and registers along both dimensions. */
const turned = new LinearLayout({
  register: [
    [0, 1],
    [8, 0],
    [0, 16],
  ],
  lane: [
    [0, 8],
    [0, 4],
    [0, 2],
    [4, 0],
    [2, 0],
  ],
  warp: [
    [1, 0],
    [16, 0],
  ],
  shape: [32, 32],
});

const [R, C] = [64, 32];

/** Both tiles joined and taken apart again the other way round, and by turns. */
const pairs = kernel(
  { block: 128, grid: 1 },
  function pairs(
    x: Tensor<"f32", 2>,
    y: Tensor<"f32", 2>,
    joined: Tensor<"f32", 3>,
    back: Tensor<"f32", 2>,
    turns: Tensor<"f32", 2>,
    layout: Static<Layout>,
  ) {
    const a = x.loadTile([0, 0], [R, C], layout);
    const b = y.loadTile([0, 0], [R, C], layout);
    const both = tile.join(a, b);
    joined.storeTile([0, 0, 0], both);
    const [first, second] = tile.split(both);
    back.storeTile([0, 0], second - 2 * first);
    turns.storeTile([0, 0], tile.interleave(a, b));
  },
);

function pairsCase(name: string, layout: Layout): Case {
  return defineCase(`tile-pairs/${name}`, pairs, () => {
    const n = R * C;
    const [x, y] = [integers(n, -50, 50, 1), integers(n, -50, 50, 2)];
    const turns = x.flatMap((a, i) => [a, y[i] ?? 0]);
    return {
      args: [
        input("f32", [R, C], x),
        input("f32", [R, C], y),
        output("f32", [R, C, 2], turns),
        output(
          "f32",
          [R, C],
          x.map((a, i) => (y[i] ?? 0) - 2 * a),
        ),
        output("f32", [R, 2 * C], turns),
        layout,
      ],
    };
  });
}

/** Neighbours of a row exchanged: even columns and odd ones taken apart, and what a sum left beside what another did. */
const neighbours = kernel(
  { block: 128, grid: 1 },
  function neighbours(x: Tensor<"f16", 2>, y: Tensor<"f16", 2>, z: Tensor<"i32", 2>, n: Tensor<"i32", 3>) {
    const t = x.loadTile([0, 0], [32, 64], rows);
    const [even, odd] = tile.split(tile.reshape(t, [32, 32, 2]));
    y.storeTile([0, 0], tile.interleave(odd, even));
    const c = n.loadTile([0, 0, 0], [8, 16, 8], cube);
    const [low, high] = tile.split(tile.reshape(c, [8, 16, 4, 2]));
    const [sums, most] = tile.split(tile.join(tile.sum(low, 1), tile.max(high, 1)));
    z.storeTile([0, 0], tile.interleave(sums, most));
  },
);

const neighboursCase: Case = defineCase("tile-pairs/neighbours", neighbours, () => {
  const x = integers(32 * 64, -50, 50, 3);
  const n = integers(8 * 16 * 8, -50, 50, 4);
  const column = (i: number, k: number): number[] => Array.from({ length: 16 }, (_, j) => n[(i * 16 + j) * 8 + k] ?? 0);
  const z = Array.from({ length: 64 }, (_, at) => {
    const list = column(at >> 3, at & 7);
    return at % 2 === 0 ? list.reduce((a, b) => a + b, 0) : Math.max(...list);
  });
  return {
    args: [
      input("f16", [32, 64], x),
      output(
        "f16",
        [32, 64],
        x.map((_, i) => x[i ^ 1] ?? 0),
      ),
      output("i32", [8, 8], z),
      input("i32", [8, 16, 8], n),
    ],
  };
});

export const tilePairCases: readonly Case[] = [
  pairsCase("rows", rows),
  pairsCase("columns", columns),
  pairsCase("linear", turned),
  pairsCase("slice", new SliceLayout(1, cube)),
  pairsCase("wgmma", new WGMMALayout()),
  pairsCase("mma", new MMALayout({ warps: [2, 2] })),
  neighboursCase,
];
