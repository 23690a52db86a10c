// Tiles in registers: loads and stores with edges, operators, broadcasts, reductions and scans along every axis, conversions, partitions, and accumulators.
import { f16round } from "@petamoriken/float16";
import type { DType, Layout, Static, Tensor } from "warpsmith";
import {
  BlockedLayout,
  bf16,
  f16,
  f32,
  fast,
  i32,
  kernel,
  range,
  SliceLayout,
  sharedMemory,
  syncThreads,
  threadIdx,
  tile,
  u8,
  WGMMAMatrix,
  warpgroup,
} from "warpsmith";
import { type Case, defineCase, input, output } from "./case.ts";
import { count, integers } from "./numbers.ts";
import type { Any } from "./wgmma.ts";

const rows = new BlockedLayout({ perThread: [1, 4], threads: [2, 16], warps: [4, 1] });
const columns = new BlockedLayout({ perThread: [4, 1], threads: [8, 4], warps: [1, 4], order: [0, 1] });
const across = new BlockedLayout({ perThread: [1, 2], threads: [4, 8], warps: [1, 4] });
const line = new BlockedLayout({ perThread: [2], threads: [32], warps: [4] });
const cube = new BlockedLayout({ perThread: [1, 2, 2], threads: [2, 4, 4], warps: [2, 1, 2], order: [2, 0, 1] });
const layouts: readonly (readonly [string, Layout])[] = [
  ["rows", rows],
  ["columns", columns],
  ["across", across],
];

const [R, C] = [32, 64];
/** A matrix of the tile's shape, row-major, from its places. */
const matrix = (f: (r: number, c: number) => number): number[] => count(R * C).map((i) => f(Math.floor(i / C), i % C));

/** The coordinates of an element, row-major. */
const placeOf = (i: number, shape: readonly number[]): number[] =>
  shape.map((extent, d) => Math.floor(i / shape.slice(d + 1).reduce((n, e) => n * e, 1)) % extent);

/** A tile that hangs over the edges of its tensor, copied to another place. */
const copies = kernel(
  { block: 128, grid: 1 },
  function copies(
    x: Tensor<Any>,
    y: Tensor<Any>,
    shape: Static<readonly number[]>,
    layout: Static<Layout>,
    from: i32,
    other: Static<number>,
  ) {
    const t = x.loadTile(
      shape.map(() => from),
      shape,
      layout,
      { other },
    );
    y.storeTile(
      shape.map(() => 0),
      t,
    );
  },
);

function copyCase(
  name: string,
  dtype: DType,
  extents: readonly number[],
  shape: readonly number[],
  layout: Layout,
  from: number,
): Case {
  return defineCase(`tiles/copy-${name}-${dtype}`, copies, () => {
    const size = (list: readonly number[]): number => list.reduce((n, e) => n * e, 1);
    const wide = dtype === "i64";
    const x = integers(size(extents), 0, 100, 7);
    const expected = count(size(shape)).map((i) => {
      const place = placeOf(i, shape);
      const at = place.map((p) => p + from);
      if (at.some((p, d) => p < 0 || p >= (extents[d] ?? 0))) return 3;
      return x[at.reduce((sum, p, d) => sum * (extents[d] ?? 1) + p, 0)] ?? 0;
    });
    const typed = (list: readonly number[]) => (wide ? list.map(BigInt) : list);
    return { args: [input(dtype, extents, typed(x)), output(dtype, shape, typed(expected)), shape, layout, from, wide ? 3n : 3] };
  });
}

/** Operators, functions and conversions, element by element. */
const computes = kernel(
  { block: 128, grid: 1 },
  function computes(
    x: Tensor<"f32", 2>,
    n: Tensor<"i32", 2>,
    y: Tensor<"f32", 2>,
    m: Tensor<"i32", 2>,
    h: Tensor<"f16", 2>,
    b: Tensor<"u8", 2>,
    alpha: f32,
  ) {
    const t = x.loadTile([0, 0], [32, 64], rows);
    const k = n.loadTile([0, 0], [32, 64], rows);
    const inside = (t > -2 && t <= 3) || k === 5;
    y.storeTile([0, 0], inside ? Math.max(alpha * t + 1, Math.floor(t / 2), -t) : f32(bf16(t % 3)));
    m.storeTile([0, 0], ((k & 6) ^ 3) + Math.trunc(k / 3) - (k % 4) + (inside ? 1 : 0));
    h.storeTile([0, 0], f16(Math.sqrt(Math.abs(t))));
    b.storeTile([0, 0], u8(Math.min(Math.abs(k), 200)));
  },
);

const computesCase: Case = defineCase("tiles/operators", computes, () => {
  const x = matrix((r, c) => ((r * 7 + c * 3) % 13) - 6);
  const n = matrix((r, c) => ((r * 5 + c) % 17) - 8);
  const inside = (i: number): boolean => (x[i]! > -2 && x[i]! <= 3) || n[i] === 5;
  const float = x.map((t, i) => (inside(i) ? Math.max(3 * t + 1, Math.floor(t / 2), -t) : t % 3));
  const whole = n.map((k, i) => ((k & 6) ^ 3) + Math.trunc(k / 3) - (k % 4) + (inside(i) ? 1 : 0));
  return {
    args: [
      input("f32", [R, C], x),
      input("i32", [R, C], n),
      output("f32", [R, C], float),
      output(
        "i32",
        [R, C],
        whole.map((v) => v + 0),
      ),
      output(
        "f16",
        [R, C],
        x.map((t) => f16round(Math.fround(Math.sqrt(Math.abs(t))))),
      ),
      output(
        "u8",
        [R, C],
        n.map((k) => Math.abs(k)),
      ),
      3,
    ],
  };
});

/** Sums, extremes and scans along both axes, broadcast back. */
const reduces = kernel(
  { block: 128, grid: 1 },
  function reduces(
    x: Tensor<"f32", 2>,
    sums: Tensor<"f32", 1>,
    most: Tensor<"f32", 1>,
    y: Tensor<"f32", 2>,
    z: Tensor<"i32", 2>,
    all: Tensor<"f32", 1>,
    layout: Static<Layout>,
  ) {
    const t = x.loadTile([0, 0], [32, 64], layout);
    sums.storeTile([0], tile.sum(t, 1));
    most.storeTile([0], tile.max(t, 0));
    y.storeTile(
      [0, 0],
      t -
        tile.expand(tile.min(t, 1), 1) +
        tile.expand(
          tile.reduce(t, 0, (a, b) => Math.max(a, -b)),
          0,
        ) *
          0,
    );
    const numbers = i32(t);
    z.storeTile(
      [0, 0],
      tile.scan(numbers, 1, (a, b) => (b > 0 ? b : a)) + tile.scan(numbers, 0, (a, b) => a + b, { reverse: true }),
    );
    const total = tile.sum(tile.sum(t, 1), 0);
    if (threadIdx.x === 0) all[0] = total;
  },
);

function reducesCase(name: string, layout: Layout): Case {
  return defineCase(`tiles/reductions-${name}`, reduces, () => {
    const at = (r: number, c: number): number => ((r * 11 + c * 5) % 23) - 9;
    const x = matrix(at);
    const row = (r: number) => count(C).map((c) => at(r, c));
    const column = (c: number) => count(R).map((r) => at(r, c));
    const sum = (list: readonly number[]): number => list.reduce((a, b) => a + b, 0);
    // The last positive element so far, else the first: associative, and its sides differ.
    const last = (list: readonly number[]): number => list.reduce((a, b) => (b > 0 ? b : a));
    const scanned = matrix((r, c) => last(row(r).slice(0, c + 1)) + sum(column(c).slice(r)));
    return {
      args: [
        input("f32", [R, C], x),
        output(
          "f32",
          [R],
          count(R).map((r) => sum(row(r))),
        ),
        output(
          "f32",
          [C],
          count(C).map((c) => Math.max(...column(c))),
        ),
        output(
          "f32",
          [R, C],
          matrix((r, c) => at(r, c) - Math.min(...row(r))),
        ),
        output("i32", [R, C], scanned),
        output("f32", [1], [sum(x)]),
        layout,
      ],
    };
  });
}

/** A row, and a block of three dimensions. */
const ranks = kernel(
  { block: 128, grid: 1 },
  function ranks(x: Tensor<"i32", 1>, y: Tensor<"i32", 1>, u: Tensor<"f32", 3>, v: Tensor<"f32", 2>, w: Tensor<"f32", 3>) {
    const t = x.loadTile([0], [512], line);
    const n = tile.arange(512, line);
    const running = tile.scan(t, 0, (a, b) => a + b);
    y.storeTile([0], running + tile.max(t, 0) + tile.where(n < 256, n, tile.full([512], i32(-1), line)));
    const c = u.loadTile([0, 0, 0], [8, 16, 8], cube);
    v.storeTile([0, 0], tile.sum(c, 1));
    w.storeTile([0, 0, 0], tile.transpose(c - tile.expand(tile.max(c, 0), 0), 2, 0, 1));
  },
);

const ranksCase: Case = defineCase("tiles/ranks", ranks, () => {
  const x = integers(512, -9, 9, 5);
  const most = Math.max(...x);
  const sums: number[] = [];
  for (const v of x) sums.push((sums.at(-1) ?? 0) + v);
  const y = sums.map((sum, i) => sum + most + (i < 256 ? i : -1));
  const u = integers(8 * 16 * 8, -9, 9, 6);
  const at = (i: number, j: number, k: number): number => u[(i * 16 + j) * 8 + k] ?? 0;
  const greatest = (j: number, k: number): number => Math.max(...count(8).map((i) => at(i, j, k)));
  const v = count(64).map((n) => count(16).reduce((total, j) => total + at(n >> 3, j, n & 7), 0));
  const w = count(8 * 8 * 16).map((n) => at((n >> 4) & 7, n & 15, n >> 7) - greatest(n & 15, n >> 7));
  return {
    args: [
      input("i32", [512], x),
      output("i32", [512], y),
      input("f32", [8, 16, 8], u),
      output("f32", [8, 8], v),
      output("f32", [8, 8, 16], w),
    ],
  };
});

/** Through shared memory with and without a swizzle, other layouts, other shapes; a loop carries a tile, a branch chooses one. */
const moves = kernel(
  { block: 128, grid: 1 },
  function moves(x: Tensor<"f16", 2>, y: Tensor<"f32", 2>, z: Tensor<"f16", 1>, iterations: i32) {
    const plain = sharedMemory.alloc("f16", [32, 64]);
    const swizzled = sharedMemory.alloc("f16", [32, 64], { swizzle: "128B" });
    const t = x.loadTile([0, 0], [32, 64]);
    plain.store(t);
    syncThreads();
    swizzled.store(plain.load(columns));
    syncThreads();
    let total = f32(swizzled.load(rows));
    for (const i of range(iterations)) total += f32(plain.load(rows)) * f32(i);
    if (iterations > 2) total = -total;
    const turned = tile.convertLayout(tile.convertLayout(total, columns), across);
    y.storeTile([0, 0], turned);
    z.storeTile([0], tile.reshape(tile.transpose(t), [2048]));
  },
);

function movesCase(iterations: number): Case {
  return defineCase(`tiles/moves-${iterations}`, moves, () => {
    const at = (r: number, c: number): number => ((r * 3 + c * 7) % 19) - 8;
    const factor = count(iterations).reduce((sum, i) => sum + i, 1) * (iterations > 2 ? -1 : 1);
    return {
      args: [
        input("f16", [R, C], matrix(at)),
        output(
          "f32",
          [R, C],
          matrix((r, c) => at(r, c) * factor),
        ),
        output(
          "f16",
          [2048],
          count(2048).map((i) => at(i % R, Math.floor(i / R))),
        ),
        iterations,
      ],
    };
  });
}

/** Each partition has tiles of its own; two warpgroups share one. */
const partitions = kernel(
  { block: 384, grid: 1 },
  function partitions(x: Tensor<"f32", 2>, y: Tensor<"f32", 1>, z: Tensor<"f32", 2>) {
    warpgroup.specialize({
      one: {
        run: () => {
          y.storeTile([0], tile.sum(x.loadTile([0, 0], [32, 64], rows), 0));
        },
      },
      two: {
        warpgroups: 2,
        run: () => {
          const wide = new BlockedLayout({ perThread: [1, 4], threads: [2, 16], warps: [8, 1] });
          const t = x.loadTile([0, 0], [32, 64], wide);
          z.storeTile([0, 0], t - tile.expand(tile.max(t, 0), 0));
        },
      },
    });
  },
);

const partitionsCase: Case = defineCase("tiles/partitions", partitions, () => {
  const at = (r: number, c: number): number => ((r * 5 + c * 3) % 29) - 11;
  const column = (c: number): number[] => count(R).map((r) => at(r, c));
  return {
    args: [
      input("f32", [R, C], matrix(at)),
      output(
        "f32",
        [C],
        count(C).map((c) => column(c).reduce((a, b) => a + b, 0)),
      ),
      output(
        "f32",
        [R, C],
        matrix((r, c) => at(r, c) - Math.max(...column(c))),
      ),
    ],
  };
});

/** X Xᵀ, each row over its greatest, as the left side of another product; sums over both axes of an accumulator. */
const products = kernel(
  { block: (_x, _y, _s, groups) => 128 * groups, grid: 1 },
  function products(x: Tensor<"f16", 2>, y: Tensor<"f32", 2>, s: Tensor<"f32", 1>, groups: Static<number>) {
    const shared = sharedMemory.alloc("f16", [64 * groups, 64], { swizzle: "128B" });
    const D = WGMMAMatrix.load(x, { warpgroups: groups });
    D.store(shared);
    syncThreads();
    const layout = tile.info(D).layout;
    const t = f32(D.tile);
    s.storeTile([0], tile.sum(t, 0));
    const doubled =
      t + tile.expand(tile.sum(t, 0), 0) * 0 + tile.expand(f32(tile.arange(64 * groups, new SliceLayout(1, layout))), 1);
    const scaled = WGMMAMatrix.load(y, { warpgroups: groups }).scale(tile.expand(tile.max(doubled, 1), 1));
    y.storeTile([0, 0], scaled.tile + fast.exp2(t * 0) - 1);
  },
);

function productsCase(groups: number): Case {
  return defineCase(`tiles/accumulators-groups${groups}`, products, () => {
    const [M, N] = [64 * groups, 64];
    const x = integers(M * N, -4, 5, 3);
    const initial = integers(M * N, -4, 5, 4);
    const row = (r: number): number => Math.max(...x.slice(r * N, (r + 1) * N)) + r;
    return {
      args: [
        input("f16", [M, N], x),
        output(
          "f32",
          [M, N],
          initial.map((v, i) => v * row(Math.floor(i / N)) || 0),
          { initial },
        ),
        output(
          "f32",
          [N],
          count(N).map((c) => count(M).reduce((sum, r) => sum + (x[r * N + c] ?? 0), 0)),
        ),
        groups,
      ],
    };
  });
}

export const registerTileCases: readonly Case[] = [
  copyCase("row", "f32", [500], [512], line, 0),
  copyCase("row-below", "i32", [500], [512], line, -3),
  copyCase("rows", "f16", [40, 70], [32, 64], rows, 16),
  copyCase("columns", "u8", [30, 64], [32, 64], columns, 0),
  copyCase("across", "f64", [64, 100], [32, 64], across, 32),
  copyCase("cube", "i64", [7, 20, 8], [8, 16, 8], cube, 1),
  copyCase("few", "bf16", [9, 9], [8, 8], rows, 2),
  computesCase,
  ...layouts.map(([name, layout]) => reducesCase(name, layout)),
  ranksCase,
  movesCase(2),
  movesCase(4),
  partitionsCase,
  productsCase(1),
  productsCase(2),
];
