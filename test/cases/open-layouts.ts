// Tiles without a layout: the compiler chooses how they lie.

import type { Static, Tensor } from "warpsmith";
import {
  BlockedLayout,
  f16,
  f32,
  fence,
  i32,
  kernel,
  range,
  sharedMemory,
  syncThreads,
  threadIdx,
  tile,
  WGMMAMatrix,
  warpgroup,
} from "warpsmith";
import { type Case, defineCase, input, output } from "./case.ts";

const [R, C] = [64, 32];
const matrix = (f: (r: number, c: number) => number, rows = R, cols = C): number[] =>
  Array.from({ length: rows * cols }, (_, i) => f(Math.floor(i / cols), i % cols));
const a = (r: number, c: number): number => ((r * 7 + c * 5) % 23) - 9;
const b = (r: number, c: number): number => ((r * 3 + c * 11) % 19) - 6;
const columnsOf = <T>(n: number, f: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => f(i));

/** A transposed view is loaded along its own rows. */
const turned = kernel({ block: 128, grid: 1 }, function turned(x: Tensor<"f32", 2>, y: Tensor<"f32", 2>) {
  y.transpose().storeTile([0, 0], x.transpose().loadTile([0, 0], [32, 64]) * 2);
});

/** The one is read along rows, the other is written along columns: one conversion between. */
const turns = kernel({ block: 128, grid: 1 }, function turns(x: Tensor<"f32", 2>, y: Tensor<"f32", 2>) {
  y.storeTile([0, 0], tile.transpose(x.loadTile([0, 0], [64, 32])));
});

/** Two tensors of opposite order meet, and a row of one and a column of the other. */
const opposite = kernel(
  { block: 128, grid: 1 },
  function opposite(x: Tensor<"f32", 2>, y: Tensor<"f32", 2>, z: Tensor<"f32", 2>) {
    const t = x.loadTile([0, 0], [64, 32]) + y.transpose().loadTile([0, 0], [64, 32]);
    z.storeTile([0, 0], t - tile.expand(tile.max(t, 1), 1) - tile.expand(tile.sum(t, 0), 0));
  },
);

/** One line stands along both dimensions: it is made twice. */
const causal = kernel({ block: 64, grid: 1 }, function causal(y: Tensor<"i32", 2>) {
  const line = tile.arange(32);
  y.storeTile([0, 0], tile.expand(line, 0) <= tile.expand(line, 1) ? tile.expand(line, 0) : tile.full([32, 32], i32(-1)));
});

/** Loops and branches carry open tiles; one turns each time. */
const carried = kernel(
  { block: 128, grid: 1 },
  function carried(x: Tensor<"f32", 2>, y: Tensor<"f32", 2>, most: Tensor<"f32", 1>, n: i32) {
    let m = tile.full([32], -1e30);
    let t = x.loadTile([0, 0], [32, 32]);
    for (const i of range(n)) {
      m = Math.max(m, tile.max(x.loadTile([i * 32, 0], [32, 32]), 1));
      t = tile.transpose(t) + 1;
    }
    if (n > 1) t = t * tile.expand(m, 0);
    y.storeTile([0, 0], t);
    most.storeTile([0], m);
  },
);

/** A branch and a loop bring an open tile together with one whose author named a layout. */
const meets = kernel({ block: 128, grid: 1 }, function meets(x: Tensor<"f32", 2>, y: Tensor<"f32", 2>, n: i32) {
  const columns = new BlockedLayout({ perThread: [4, 1], threads: [8, 4], warps: [1, 4], order: [0, 1] });
  let t = x.loadTile([0, 0], [32, 32]);
  if (n > 1) t = x.loadTile([32, 0], [32, 32], columns) + t;
  let sum = tile.full([32, 32], 0);
  for (const i of range(n)) sum = sum + x.loadTile([i * 32, 0], [32, 32], columns);
  y.storeTile([0, 0], t * sum);
});

/** The accumulator stays as it is: what is added to it, and what scales it, comes to lie as it does. */
const product = kernel(
  { block: 128, grid: 1 },
  function product(x: Tensor<"f16", 2>, bias: Tensor<"f32", 1>, more: Tensor<"f32", 2>, y: Tensor<"f32", 2>) {
    const shared = sharedMemory.alloc("f16", [64, 64], { swizzle: "128B" });
    shared.store(x.loadTile([0, 0], [64, 64]));
    fence.proxyAsync();
    syncThreads();
    const A = WGMMAMatrix.descriptor(shared, [64, 64]);
    const S = WGMMAMatrix.accumulator("f32", [64, 64]).mma(A, A, { wait: 0 });
    const sum = S.tile + tile.expand(bias.loadTile([0], [64]), 0) + more.loadTile([0, 0], [64, 64]);
    y.storeTile([0, 0], sum);
  },
);

/** A product of warps whose tiles nobody gave a layout: the accumulator's is the product's, and so are those of its operands. */
const dots = kernel(
  { block: 128, grid: 1 },
  function dots(x: Tensor<"f16", 2>, y: Tensor<"f16", 2>, z: Tensor<"f32", 2>, n: i32) {
    let D = tile.full([64, 32], 0);
    for (const i of range(n)) D = tile.dot(x.loadTile([0, i * 16], [64, 16]), y.loadTile([i * 16, 0], [16, 32]), D);
    z.storeTile([0, 0], D + 1);
  },
);

/** What one product gives is an operand of the next, and an operand may have a layout of its author's: each is converted to what its product takes. */
const chained = kernel({ block: 128, grid: 1 }, function chained(x: Tensor<"f16", 2>, y: Tensor<"f16", 2>, z: Tensor<"f32", 2>) {
  const rows = new BlockedLayout({ perThread: [1, 8], threads: [8, 4], warps: [4, 1] });
  const S = tile.dot(x.loadTile([0, 0], [64, 32], rows), y.loadTile([0, 0], [32, 32]), tile.full([64, 32], 0));
  z.storeTile([0, 0], tile.dot(f16(S), y.loadTile([0, 0], [32, 32], rows), tile.full([64, 32], 0)));
});

/** Shapes, pairs, gathers, scans and counts. */
const shapes = kernel(
  { block: 128, grid: 1 },
  function shapes(x: Tensor<"i32", 2>, y: Tensor<"i32", 2>, counts: Tensor<"i32", 1>) {
    const t = x.loadTile([0, 0], [64, 32]);
    const [even, odd] = tile.split(tile.reshape(t, [64, 16, 2]));
    const pairs = tile.interleave(odd, even);
    const reversed = tile.gather(pairs, tile.expand(31 - tile.arange(32), 0) + tile.full([64, 32], i32(0)), 1);
    y.storeTile(
      [0, 0],
      tile.scan(reversed, 0, (p, q) => p + q),
    );
    counts.storeTile([0], tile.histogram(t & 7, 8));
  },
);

/** In a partition only its warps hold the tile. */
const parts = kernel({ block: 256, grid: 1 }, function parts(x: Tensor<"f32", 2>, y: Tensor<"f32", 2>) {
  warpgroup.specialize({
    rest: { run: () => {} },
    work: {
      run: () => {
        const t = x.loadTile([0, 0], [32, 32]) + tile.transpose(x.loadTile([32, 0], [32, 32]));
        y.storeTile([0, 0], t - tile.expand(tile.max(t, 1), 1));
      },
    },
  });
});

/** In shared memory, by rows and by columns, of any type. */
const shared = kernel(
  { block: 64, grid: 1 },
  function shared(x: Tensor<"f32", 2>, y: Tensor<"f32", 2>, z: Tensor<"f16", 2>, half: Static<boolean>) {
    const s = sharedMemory.alloc("f32", [64, 32]);
    s.store(x.loadTile([0, 0], [64, 32]));
    syncThreads();
    const t = tile.transpose(s.transpose().load());
    y.storeTile([0, 0], t + s.load());
    if (half) z.storeTile([0, 0], f16(s.load() * 2));
    if (threadIdx.x > 64) y[0]![0] = f32(0);
  },
);

const sum = (list: readonly number[]): number => list.reduce((p, q) => p + q, 0);

const pairsOf = (r: number, c: number): number => a(r, c ^ 1);

const productAt = (r: number, c: number): number => sum(columnsOf(64, (k) => a(r, k) * a(k, c)));

function carriedAt(n: number): { readonly t: number[]; readonly m: number[] } {
  const m = columnsOf(32, (r) =>
    n === 0 ? -1e30 : Math.max(...columnsOf(n, (i) => Math.max(...columnsOf(32, (c) => a(i * 32 + r, c))))),
  );
  const t = matrix((r, c) => ((n % 2 === 1 ? a(c, r) : a(r, c)) + n) * (n > 1 ? (m[c] ?? 0) : 1), 32, 32);
  return { t, m: m.map(Math.fround) };
}

export const openLayoutCases: readonly Case[] = [
  defineCase("open-layouts/turned", turned, () => ({
    args: [
      input("f32", [R, C], matrix(a)),
      output(
        "f32",
        [R, C],
        matrix((r, c) => a(r, c) * 2),
      ),
    ],
  })),
  defineCase("open-layouts/turns", turns, () => ({
    args: [
      input("f32", [R, C], matrix(a)),
      output(
        "f32",
        [C, R],
        matrix((r, c) => a(c, r), C, R),
      ),
    ],
  })),
  defineCase("open-layouts/opposite", opposite, () => {
    const at = (r: number, c: number): number => a(r, c) + b(c, r);
    const column = (c: number): number => sum(columnsOf(R, (r) => at(r, c)));
    const most = (r: number): number => Math.max(...columnsOf(C, (c) => at(r, c)));
    return {
      args: [
        input("f32", [R, C], matrix(a)),
        input("f32", [C, R], matrix(b, C, R)),
        output(
          "f32",
          [R, C],
          matrix((r, c) => at(r, c) - most(r) - column(c)),
        ),
      ],
    };
  }),
  defineCase("open-layouts/causal", causal, () => ({
    args: [
      output(
        "i32",
        [32, 32],
        matrix((r, c) => (c <= r ? c : -1), 32, 32),
      ),
    ],
  })),
  ...[0, 1, 2].map((n) =>
    defineCase(`open-layouts/carried-${n}`, carried, () => {
      const { t, m } = carriedAt(n);
      return { args: [input("f32", [R, 32], matrix(a)), output("f32", [32, 32], t), output("f32", [32], m), n] };
    }),
  ),
  ...[1, 2].map((n) =>
    defineCase(`open-layouts/meets-${n}`, meets, () => {
      const at = (r: number, c: number): number => a(r, c) + (n > 1 ? a(32 + r, c) : 0);
      const all = (r: number, c: number): number => sum(columnsOf(n, (i) => a(i * 32 + r, c)));
      const expected = matrix((r, c) => at(r, c) * all(r, c), 32, 32);
      return { args: [input("f32", [R, 32], matrix(a)), output("f32", [32, 32], expected), n] };
    }),
  ),
  defineCase("open-layouts/product", product, () => ({
    args: [
      input("f16", [64, 64], matrix(a, 64, 64)),
      input(
        "f32",
        [64],
        columnsOf(64, (c) => c),
      ),
      input("f32", [64, 64], matrix(b, 64, 64)),
      output(
        "f32",
        [64, 64],
        matrix((r, c) => productAt(r, c) + c + b(r, c), 64, 64),
      ),
    ],
  })),
  defineCase("open-layouts/dots", dots, () => ({
    args: [
      input("f16", [64, 48], matrix(a, 64, 48)),
      input("f16", [48, 32], matrix(b, 48, 32)),
      output(
        "f32",
        [64, 32],
        matrix((r, c) => 1 + sum(columnsOf(48, (k) => a(r, k) * b(k, c))), 64, 32),
      ),
      3,
    ],
  })),
  defineCase("open-layouts/chained", chained, () => {
    const [p, q] = [(r: number, c: number) => (a(r, c) % 3) + 0, (r: number, c: number) => (b(r, c) % 3) + 0];
    const S = (r: number, c: number): number => sum(columnsOf(32, (k) => p(r, k) * q(k, c)));
    return {
      args: [
        input("f16", [64, 32], matrix(p, 64, 32)),
        input("f16", [32, 32], matrix(q, 32, 32)),
        output(
          "f32",
          [64, 32],
          matrix((r, c) => sum(columnsOf(32, (k) => S(r, k) * q(k, c))), 64, 32),
        ),
      ],
    };
  }),
  defineCase("open-layouts/shapes", shapes, () => ({
    args: [
      input("i32", [R, C], matrix(a)),
      output(
        "i32",
        [R, C],
        matrix((r, c) => sum(columnsOf(r + 1, (i) => pairsOf(i, 31 - c)))),
      ),
      output(
        "i32",
        [8],
        columnsOf(8, (bin) => matrix(a).filter((n) => (n & 7) === bin).length),
      ),
    ],
  })),
  defineCase("open-layouts/parts", parts, () => {
    const at = (r: number, c: number): number => a(r, c) + a(32 + c, r);
    const most = (r: number): number => Math.max(...columnsOf(32, (c) => at(r, c)));
    return {
      args: [
        input("f32", [R, 32], matrix(a)),
        output(
          "f32",
          [32, 32],
          matrix((r, c) => at(r, c) - most(r), 32, 32),
        ),
      ],
    };
  }),
  ...[true, false].map((half) =>
    defineCase(`open-layouts/shared-${half ? "twice" : "once"}`, shared, () => ({
      args: [
        input("f32", [R, C], matrix(a)),
        output(
          "f32",
          [R, C],
          matrix((r, c) => 2 * a(r, c)),
        ),
        output(
          "f16",
          [R, C],
          matrix((r, c) => 2 * a(r, c)),
          half ? {} : { initial: matrix((r, c) => 2 * a(r, c)) },
        ),
        half,
      ],
    })),
  ),
];
