// Atomics that give nothing: elements, neighbours and tiles.

import type { DType, Layout, PlaceReduceOp, Scope, Static, Swizzle, Tensor, u32 } from "warpsmith";
import { BlockedLayout, cluster, f16, fast, kernel, range, sharedMemory, syncThreads, threadIdx } from "warpsmith";
import { type Case, defineCase, input, output } from "./case.ts";
import { combined, count, integers } from "./numbers.ts";
import type { Any } from "./wgmma.ts";

/** Each of 64 threads combines with one of four elements, in global memory and in shared memory. */
const places = kernel(
  { block: 64, grid: 1 },
  function places(x: Tensor<Any, 1>, y: Tensor<Any, 2>, op: Static<PlaceReduceOp>, dtype: Static<DType>) {
    const i = threadIdx.x;
    const cells = sharedMemory.alloc(dtype as Any, [4]);
    if (i < 4) cells[i] = y.at(1, i).load();
    syncThreads();
    y.at(0, i % 4).reduce(op, x[i]!, { order: "release", pred: i < 60 });
    cells.at(i % 4).reduce(op, x[i]!, { pred: i < 60 });
    syncThreads();
    if (i < 4) y.at(1, i).store(cells[i]!);
  },
);

function placeCase(op: PlaceReduceOp, dtype: DType): Case {
  return defineCase(`reductions/place-${op}-${dtype}`, places, () => {
    const least = dtype.startsWith("u") ? 0 : -9;
    const of = (list: readonly number[]) => list.map((n) => (dtype === "i64" || dtype === "u64" ? BigInt(n) : n));
    const [x, y] = [integers(64, least, 9, 51), integers(8, least, 9, 52)];
    const expected = y.map((first, cell) =>
      Number(x.slice(0, 60).reduce((sum, n, i) => (i % 4 === cell % 4 ? combined[op](sum, BigInt(n)) : sum), BigInt(first))),
    );
    return { args: [input(dtype, [64], of(x)), output(dtype, [2, 4], of(expected), { initial: of(y) }), op, dtype] };
  });
}

const wide = ["i32", "u32", "i64", "u64"] as const;
const kinds: Readonly<Record<PlaceReduceOp, readonly DType[]>> = {
  add: [...wide, "f16", "bf16", "f32", "f64"],
  min: [...wide, "f32", "f64"],
  max: [...wide, "f32", "f64"],
  and: wide,
  or: wide,
  xor: wide,
};

/** Each of 32 threads combines neighbours with the same ones as the threads of its parity. */
const vectors = kernel(
  { block: 32, grid: 1 },
  function vectors(x: Tensor<Any, 2>, y: Tensor<Any, 2>, op: Static<PlaceReduceOp>, each: Static<number>) {
    const i = threadIdx.x;
    const values = Array.from({ length: each }, (_, n) => x.at(i, n).load());
    y.at(i % 2, 0).reduce(op, values, { scope: "block", pred: i > 1 });
  },
);

function vectorCase(op: PlaceReduceOp, dtype: DType, each: number): Case {
  return defineCase(`reductions/vector-${op}-${dtype}-${each}`, vectors, () => {
    const [x, y] = [integers(32 * each, -9, 9, 61), integers(2 * each, -9, 9, 62)];
    const expected = y.map((first, at) => {
      const [parity, n] = [Math.floor(at / each), at % each];
      return count(32).reduce(
        (sum, i) => (i > 1 && i % 2 === parity ? Number(combined[op](BigInt(sum), BigInt(x[i * each + n]!))) : sum),
        first,
      );
    });
    return { args: [input(dtype, [32, each], x), output(dtype, [2, each], expected, { initial: y }), op, each] };
  });
}

interface Tile {
  readonly op: PlaceReduceOp;
  readonly shape: readonly [number, number];
  readonly layout: Layout | undefined;
}

/** Two blocks combine the same tile, which hangs over the edges, with a tensor. */
const tiles = kernel(
  { block: 128, grid: 2 },
  function tiles(x: Tensor<Any, 2>, y: Tensor<Any, 2>, { op, shape, layout }: Static<Tile>, row: u32, col: Static<number>) {
    const t = x.loadTile([0, 0], shape, layout);
    y.reduceTile(op, [row, col], t);
  },
);

const across = new BlockedLayout({ perThread: [1, 4], threads: [2, 16], warps: [4, 1] });
/** Of 16 x 16 elements several threads hold the same one. */
const repeated = new BlockedLayout({ perThread: [1, 1], threads: [8, 4], warps: [2, 2] });

function tileCase(name: string, dtype: DType, tile: Tile, [R, C]: readonly [number, number], row: number, col: number): Case {
  return defineCase(`reductions/tile-${name}`, tiles, () => {
    const [rows, cols] = tile.shape;
    const of = (list: readonly number[]) => list.map((n) => (dtype === "i64" ? BigInt(n) : n));
    const [x, y] = [integers(rows * cols, -9, 9, 71), integers(R * C, -9, 9, 72)];
    const expected = y.map((first, at) => {
      const [r, c] = [Math.floor(at / C) - row, (at % C) - col];
      if (r < 0 || r >= rows || c < 0 || c >= cols) return first;
      const n = BigInt(x[r * cols + c]!);
      return Number(combined[tile.op](combined[tile.op](BigInt(first), n), n));
    });
    return { args: [input(dtype, [rows, cols], of(x)), output(dtype, [R, C], of(expected), { initial: of(y) }), tile, row, col] };
  });
}

/** The sums of the columns of a tile of f16, as many sums of two, into one row. */
const sums = kernel({ block: 128, grid: 4 }, function sums(x: Tensor<"f16", 2>, y: Tensor<"f16", 1>) {
  for (const r of range(4)) y.reduceTile("add", [0], f16(fast.exp2(x.at(r).loadTile([0], [512]))));
});

interface SharedTile extends Tile {
  readonly swizzle: Swizzle;
  /** Where the part of the shared memory begins that the tile is combined with; it is a part that the tensor may choose. */
  readonly at: readonly [number, number];
  readonly scope?: Scope;
}

/** Two times a tile to a part of shared memory, which holds what is in the tensor; lanes that hold the same element add it once. */
const sharedTiles = kernel(
  { block: 128, grid: 1 },
  function sharedTiles(
    x: Tensor<Any, 2>,
    y: Tensor<Any, 2>,
    { op, shape, layout, swizzle, at, scope }: Static<SharedTile>,
    row: u32,
  ) {
    const s = sharedMemory.alloc(y.dtype, y.shape, { swizzle });
    s.store(y.loadTile([0, 0], y.shape));
    syncThreads();
    const part = s.subview([row, at[1]], shape);
    part.reduce(op, x.loadTile([0, 0], shape, layout), scope === undefined ? {} : { scope });
    part.reduce(op, x.loadTile([0, 0], shape, layout));
    syncThreads();
    y.storeTile([0, 0], s.load());
  },
);

function sharedTileCase(name: string, dtype: DType, tile: SharedTile, [R, C]: readonly [number, number]): Case {
  return defineCase(`reductions/shared-tile-${name}`, sharedTiles, () => {
    const [rows, cols] = tile.shape;
    const [row, col] = tile.at;
    const of = (list: readonly number[]) => list.map((n) => (dtype.endsWith("64") && dtype !== "f64" ? BigInt(n) : n));
    const least = dtype.startsWith("u") ? 0 : -9;
    const [x, y] = [integers(rows * cols, least, 9, 81), integers(R * C, least, 9, 82)];
    const expected = y.map((first, i) => {
      const [r, c] = [Math.floor(i / C) - row, (i % C) - col];
      if (r < 0 || r >= rows || c < 0 || c >= cols) return first;
      const n = BigInt(x[r * cols + c]!);
      return Number(combined[tile.op](combined[tile.op](BigInt(first), n), n));
    });
    return { args: [input(dtype, [rows, cols], of(x)), output(dtype, [R, C], of(expected), { initial: of(y) }), tile, row] };
  });
}

/** Each block of a cluster adds a row of its own to the next block's. */
const toNextBlock = kernel({ block: 128, grid: 2, cluster: 2 }, function toNextBlock(x: Tensor<"f32", 2>, y: Tensor<"f32", 2>) {
  const s = sharedMemory.alloc("f32", [512]);
  const row = x.at(cluster.rank).loadTile([0], [512]);
  s.store(row);
  cluster.sync();
  cluster.map(s, cluster.rank ^ 1).reduce("add", row * 2);
  cluster.sync();
  y.at(cluster.rank).storeTile([0], s.load());
});

const none = undefined;

export const reductionCases: readonly Case[] = [
  ...(Object.keys(kinds) as PlaceReduceOp[]).flatMap((op) => kinds[op].map((dtype) => placeCase(op, dtype))),
  vectorCase("add", "f32", 2),
  vectorCase("add", "f32", 4),
  ...(["f16", "bf16"] as const).flatMap((dtype) =>
    ([2, 4, 8] as const).flatMap((each) => (["add", "min", "max"] as const).map((op) => vectorCase(op, dtype, each))),
  ),
  tileCase("f32", "f32", { op: "add", shape: [32, 64], layout: none }, [40, 96], 8, 32),
  tileCase("f32-over-the-edge", "f32", { op: "add", shape: [32, 64], layout: across }, [20, 41], 3, 2),
  tileCase("f16", "f16", { op: "add", shape: [16, 64], layout: none }, [32, 64], 16, 0),
  tileCase("bf16-by-fours", "bf16", { op: "add", shape: [16, 64], layout: across }, [32, 64], 16, 0),
  tileCase("f16-odd", "f16", { op: "add", shape: [16, 64], layout: across }, [17, 33], 5, 1),
  tileCase("i64-max", "i64", { op: "max", shape: [16, 16], layout: repeated }, [20, 20], 2, 2),
  tileCase("f32-min", "f32", { op: "min", shape: [16, 16], layout: repeated }, [20, 20], 2, 7),
  tileCase("u32-or", "i32", { op: "xor", shape: [8, 8], layout: repeated }, [8, 8], 0, 0),
  tileCase("repeated-add", "f32", { op: "add", shape: [8, 8], layout: repeated }, [8, 8], 0, 0),
  defineCase("reductions/tile-computed", sums, () => {
    const data = count(4 * 512).map((i) => i % 3);
    const expected = count(512).map((c) => 4 * [0, 1, 2, 3].reduce((sum, r) => sum + 2 ** data[512 * r + c]!, 0));
    return { args: [input("f16", [4, 512], data), output("f16", [512], expected, { initial: count(512).map(() => 0) })] };
  }),
  ...(["i32", "u32", "i64", "u64", "f16", "bf16", "f32", "f64"] as const).map((dtype) =>
    sharedTileCase(
      `add-${dtype}`,
      dtype,
      { op: "add", shape: [16, 16], layout: repeated, swizzle: "none", at: [8, 8] },
      [32, 32],
    ),
  ),
  sharedTileCase("swizzled", "f32", { op: "add", shape: [32, 32], layout: none, swizzle: "128B", at: [8, 0] }, [64, 32]),
  sharedTileCase(
    "rows",
    "f32",
    { op: "add", shape: [32, 64], layout: across, swizzle: "none", at: [0, 0], scope: "gpu" },
    [32, 64],
  ),
  sharedTileCase("min", "f32", { op: "min", shape: [16, 16], layout: repeated, swizzle: "none", at: [4, 2] }, [32, 32]),
  sharedTileCase("max", "i64", { op: "max", shape: [16, 16], layout: none, swizzle: "none", at: [16, 16] }, [32, 32]),
  sharedTileCase("xor", "u32", { op: "xor", shape: [8, 8], layout: repeated, swizzle: "none", at: [1, 3] }, [16, 16]),
  defineCase("reductions/shared-tile-of-the-next-block", toNextBlock, () => {
    const x = integers(1024, -99, 99, 83);
    return {
      args: [
        input("f32", [2, 512], x),
        output(
          "f32",
          [2, 512],
          x.map((v, i) => v + 2 * (x[i ^ 512] ?? 0)),
        ),
      ],
    };
  }),
];
