import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { f32, i32, Static, Tensor } from "warpsmith";
import {
  blockIdx,
  fma,
  kernel,
  Pipeline,
  range,
  sharedMemory,
  TileScheduler,
  tensorSpec,
  threadIdx,
  i32 as toI32,
  i64 as toI64,
  WarpsmithError,
} from "warpsmith";
import { type AnyKernel, type Case, defineCase, input, output } from "./case.ts";

const debug = { block: 32, debug: true } as const;

/** The line of this file that ends in that comment. */
function lineOf(mark: string): number {
  const lines = readFileSync(fileURLToPath(import.meta.url), "utf8").split("\n");
  return lines.findIndex((line) => line.endsWith(`// ${mark}`)) + 1;
}

/** A kernel of one i32 tensor of 64 elements, 0 to 63, and one number, that a check ends. */
function trapCase(mark: string, made: AnyKernel, n: number, says: string, thread: number): Case {
  return {
    name: `debug/${mark}`,
    losesDevice: true,
    compile: () => made.compile(...([tensorSpec("i32", [64]), n] as never[])),
    async run(gpu) {
      const x = gpu.tensor(
        "i32",
        [64],
        Array.from({ length: 64 }, (_, i) => i),
      );
      made.launch({ grid: 2 }, ...([x, n] as never[]));
      const error = await gpu.sync().then(
        () => undefined,
        (e: unknown) => e,
      );
      if (!(error instanceof WarpsmithError)) throw new Error(`no error of the package: ${String(error)}`);
      const { message, spans } = error;
      const place = `${says}: thread ${thread} of block (1, 0, 0)`;
      if (!message.toLowerCase().includes(place.toLowerCase())) throw new Error(`says: ${message}`);
      if (!spans[0]?.file.endsWith("debug.ts") || spans[0].line !== lineOf(mark))
        throw new Error(`stands at ${JSON.stringify(spans[0])}, not in line ${lineOf(mark)}`);
    },
  };
}

function at(): number {
  "use kernel";
  return blockIdx.x * 32 + threadIdx.x;
}

const storesOutside = kernel(debug, function storesOutside(x: Tensor<"i32", 1>, n: i32) {
  x[at() + n] = 1; // store outside
});
const loadsBelow = kernel(debug, function loadsBelow(x: Tensor<"i32", 1>, n: i32) {
  const i = at();
  const k = i === 40 ? n : i;
  x[i] = x.at(k).load() + 1; // load below
});
const vectorOutside = kernel(debug, function vectorOutside(x: Tensor<"i32", 1>, n: i32) {
  const [a, b] = x.at(at() === 33 ? n : 0).load({ vector: 2 }); // vector outside
  if (a + b === 12345) x[0] = 1;
});
const partOutside = kernel(debug, function partOutside(x: Tensor<"i32", 1>, n: i32) {
  const part = x.subview([blockIdx.x * n], [32]);
  part[threadIdx.x] = 1; // part outside
});
const atomicOutside = kernel(debug, function atomicOutside(x: Tensor<"i32", 1>, n: i32) {
  x.at(at() === 50 ? n : 0).atomic("add", 1); // atomic outside
});
const sharedOutside = kernel(debug, function sharedOutside(x: Tensor<"i32", 1>, n: i32) {
  const s = sharedMemory.alloc("i32", [2, 32]);
  const row = at() === 34 ? n : 1;
  s.at(row, threadIdx.x).store(x.at(0).load()); // shared outside
});
const mergedOutside = kernel(debug, function mergedOutside(x: Tensor<"i32", 1>, n: i32) {
  const rows = x.reshape(8, 8);
  let row = rows.at(0);
  if (at() === 42) row = rows.at(n);
  row[threadIdx.x & 7] = 1; // merged outside
});
const sums = kernel(debug, function sums(x: Tensor<"i32", 1>, n: i32) {
  const i = at();
  x[i] = n + (i - 36); // sum
});
const differences = kernel(debug, function differences(x: Tensor<"i32", 1>, n: i32) {
  const i = at();
  x[i] = n - (i === 35 ? 1 : 0); // difference
});
const products = kernel(debug, function products(x: Tensor<"i32", 1>, n: i32) {
  const i = at();
  x[i] = (n * (i === 37 ? 65536 : 1)) | 0; // product
});
const increments = kernel(debug, function increments(x: Tensor<"i32", 1>, n: i32) {
  const i = at();
  let k = i === 38 ? n : 0;
  for (const _ of range(2)) k++; // increment
  x[i] = k;
});
const negations = kernel(debug, function negations(x: Tensor<"i32", 1>, n: i32) {
  const i = at();
  x[i] = -(i === 39 ? n : 5); // negation
});
const narrowed = kernel(debug, function narrowed(x: Tensor<"i32", 1>, n: i32) {
  const i = at();
  x[i] = toI32(toI64(n) * toI64(i === 41 ? n : 1)); // narrower
});
const farStages = kernel(debug, function farStages(x: Tensor<"i32", 1>, n: i32) {
  const i = at();
  const pipe = new Pipeline({ stages: 3 }).consumer();
  x[i] = pipe.next(i === 43 ? n : 4).index; // far stage
});
const fewTiles = kernel(debug, function fewTiles(x: Tensor<"i32", 1>, n: i32) {
  const i = at();
  const tiles = new TileScheduler([i === 44 ? n : 2, 2], { mode: "persistent" }); // few tiles
  for (const { m } of tiles) x[i] = m;
});
const lateTiles = kernel(debug, function lateTiles(x: Tensor<"i32", 1>, n: i32) {
  const i = at();
  const tiles = new TileScheduler([2, 2], { mode: "persistent", every: 2, from: i === 45 ? n : 1 }); // late tile
  for (const { m } of tiles) x[i] = m;
});

const traps: readonly Case[] = [
  trapCase("store outside", storesOutside, 1, "index 64 in dimension 0 of x, [64]", 31),
  trapCase("load below", loadsBelow, -1, "index -1 in dimension 0 of x, [64]", 8),
  trapCase("vector outside", vectorOutside, 63, "2 elements from index 63 in dimension 0 of x, [64]", 1),
  trapCase("part outside", partOutside, 33, "index 64 in dimension 0 of x, [64]", 31),
  trapCase("atomic outside", atomicOutside, 64, "index 64 in dimension 0 of x, [64]", 18),
  trapCase("shared outside", sharedOutside, 2, "index 2 in dimension 0 of s, [2, 32]", 2),
  trapCase("merged outside", mergedOutside, 8, "an index outside x", 10),
  trapCase("sum", sums, 2 ** 31 - 1 - 26, "2147483621 + 27 does not fit i32", 31),
  trapCase("difference", differences, -(2 ** 31), "-2147483648 - 1 does not fit i32", 3),
  trapCase("product", products, 32768, "32768 * 65536 does not fit i32", 5),
  trapCase("increment", increments, 2 ** 31 - 2, "2147483647 + 1 does not fit i32", 6),
  trapCase("negation", negations, -(2 ** 31), "-(-2147483648) does not fit i32", 7),
  trapCase("narrower", narrowed, 65536, "the i64 4294967296 does not fit i32", 9),
  trapCase("far stage", farStages, -1, "the distance to another stage is -1, and it must not be negative", 11),
  trapCase("few tiles", fewTiles, -2, "the number of tiles along M is -2, and it must not be negative", 12),
  trapCase("late tile", lateTiles, 2, "`from` is 2, and it must be from 0 to 1", 13),
];

const wraps = kernel({ block: 1, debug: true }, function wraps(y: Tensor<"i32", 1>, z: Tensor<"u32", 1>, n: i32, m: i32) {
  y[0] = (n + m) | 0;
  y[1] = (n + m + m) | 0;
  y[2] = Math.imul(n, m);
  y[3] = (Math.imul(n, m) - n - n) | 0;
  y[4] = (n + 1) & 0xff;
  y[5] = -(m - n) | 0;
  y[6] = ~(n + m);
  y[7] = (n + m) >> 4;
  z[0] = (n + m) >>> 0;
  z[1] = (n + m) >>> 3;
  let hash = 17;
  for (const i of range(10)) hash = (Math.imul(hash, 31) + i + n) | 0;
  y[8] = hash;
  y[9] = n < 2 ** 31 - 1 ? n + 1 : n;
});

function wrapped(n: number, m: number): readonly [number[], number[]] {
  let hash = 17;
  for (let i = 0; i < 10; i++) hash = (Math.imul(hash, 31) + i + n) | 0;
  const y = [
    (n + m) | 0,
    (n + m + m) | 0,
    Math.imul(n, m),
    (Math.imul(n, m) - n - n) | 0,
    (n + 1) & 0xff,
    -(m - n) | 0,
    ~(n + m),
    (n + m) >> 4,
    hash,
    n < 2 ** 31 - 1 ? n + 1 : n,
  ];
  return [y, [(n + m) >>> 0, (n + m) >>> 3]];
}

const inside = kernel(debug, function inside(x: Tensor<"f32", 1>, y: Tensor<"f32", 1>, n: i32) {
  const tile = x.subview([blockIdx.x * 32], [32]);
  const i = blockIdx.x * 32 + threadIdx.x;
  const v = tile.at(threadIdx.x).load({ pred: i < n, other: 5 });
  y.at(i).store(v * 2, { pred: i < n });
  if (i + 1 < n) y[i] = v * 2 + x.at(i + 1).load();
});
const insideData = Array.from({ length: 50 }, (_, i) => i / 4);

/** One formula a kernel: a product that several sums take is not fused. */
const rounded = (contract: boolean) =>
  kernel({ block: 1, contract }, function rounded(y: Tensor<"f32", 1>, a: f32, b: f32, c: f32, formula: Static<number>) {
    y[0] = formula === 0 ? a * b + c : formula === 1 ? a * b - c : c - a * b;
    y[1] = fma(a, b, c);
  });
const [a, b, c] = [1 + 2 ** -12, 1 + 2 ** -12, -1] as const;
const twice = (sum: (product: number) => number): number => Math.fround(sum(Math.fround(a * b)));
const once = (sum: (product: number) => number): number => Math.fround(sum(a * b));
const formulas: readonly ((p: number) => number)[] = [(p) => p + c, (p) => p - c, (p) => c - p];

const endless = kernel(debug, function endless(x: Tensor<"i32", 1>, n: i32) {
  const i = at();
  let k = toI32(0);
  for (const j of range(n, i === 45 ? 2147483647 : 0, 3)) k = j; // endless range
  x[i] = k;
});

export const debugCases: readonly Case[] = [
  trapCase(
    "endless range",
    endless,
    2 ** 31 - 2,
    "this range does not end: the number after its last one is 2147483649, which is no i32",
    13,
  ),
  ...[
    [2 ** 31 - 1, 2 ** 31 - 1],
    [-(2 ** 31), -5],
    [123456789, 2000000011],
  ].map(([n = 0, m = 0]) =>
    defineCase(`debug/wraps ${n} ${m}`, wraps, () => {
      const [y, z] = wrapped(n, m);
      return { grid: 1, args: [output("i32", [10], y), output("u32", [2], z), n, m] };
    }),
  ),
  defineCase("debug/inside", inside, () => ({
    grid: 2,
    args: [
      input("f32", [50], insideData),
      output(
        "f32",
        [50],
        insideData.map((v, i) => v * 2 + (insideData[i + 1] ?? 0)),
      ),
      50,
    ],
  })),
  ...[false, true].flatMap((contract) =>
    formulas.map((formula, i) =>
      defineCase(`contract/${contract ? "on" : "off"} ${i}`, rounded(contract), () => ({
        grid: 1,
        args: [output("f32", [2], [(contract ? once : twice)(formula), once((p) => p + c)]), a, b, c, i],
      })),
    ),
  ),
  ...traps,
];
