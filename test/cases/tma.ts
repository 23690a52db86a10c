import type { DType, Static, Swizzle, Tensor, TMA } from "warpsmith";
import { fence, kernel, Mbarriers, range, sharedMemory, staticRange, syncThreads, threadIdx, tma } from "warpsmith";
import { type Case, defineCase, input, mapOf, output } from "./case.ts";
import { bytesOf, count, integers } from "./numbers.ts";

type Any = Exclude<DType, "i64" | "u64" | "bool">;
const threads = 128;
const sizeOf = (shape: readonly number[]): number => shape.reduce((n, s) => n * s, 1);

/** The indices of element `e`, row-major. */
function indicesOf(e: number, shape: readonly number[]): number[] {
  "use kernel";
  let rest = e;
  const index: number[] = [];
  for (const extent of shape.toReversed()) {
    index.unshift(rest % extent);
    rest = Math.trunc(rest / extent);
  }
  return index;
}

interface Element {
  load(): number;
  store(value: number): void;
}

function loadedBarrier() {
  "use kernel";
  const bar = new Mbarriers(1).at(0);
  if (threadIdx.x === 0) {
    bar.init(1);
    fence.mbarrierInit();
  }
  syncThreads();
  return bar;
}

/** A tile comes by TMA and is read element by element. */
const load = kernel(
  { block: threads, grid: 1 },
  function load(map: TMA, out: Tensor<Any, 1>, shape: Static<readonly number[]>, coords: Static<readonly number[]>) {
    const tile = sharedMemory.alloc(map.dtype as Any, shape, { swizzle: map.swizzle, align: 1024 });
    const bar = loadedBarrier();
    if (threadIdx.x === 0) {
      map.prefetch();
      map.prefetchBox(coords as never);
      bar.arrive({ tx: tile.bytes });
      map.load(tile, bar, coords as never, { outside: true });
    }
    bar.wait(false);
    for (const e of range(threadIdx.x, sizeOf(shape), threads)) {
      const place = tile.at(...indicesOf(e, shape)) as unknown as Element;
      out[e] = place.load();
    }
  },
);

/** A tile is written element by element and leaves by TMA. */
const store = kernel(
  { block: threads, grid: 1 },
  function store(x: Tensor<Any, 1>, map: TMA, shape: Static<readonly number[]>, coords: Static<readonly number[]>) {
    const tile = sharedMemory.alloc(map.dtype as Any, shape, { swizzle: map.swizzle, align: 1024 });
    for (const e of range(threadIdx.x, sizeOf(shape), threads)) {
      const place = tile.at(...indicesOf(e, shape)) as unknown as Element;
      place.store(x[e]!);
    }
    fence.proxyAsync({ space: "shared::cta" });
    syncThreads();
    if (threadIdx.x === 0) {
      map.store(tile, coords as never, { outside: true });
      tma.commit();
      tma.wait(0);
    }
  },
);

type Reduction = "add" | "min" | "max" | "inc" | "dec" | "and" | "or" | "xor";
const reduce = kernel({ block: threads, grid: 1 }, function reduce(x: Tensor<Any, 2>, map: TMA, op: Static<Reduction>) {
  const tile = sharedMemory.alloc(x.dtype, [8, 16], { align: 128 });
  tile[threadIdx.x >> 4]![threadIdx.x & 15] = x[threadIdx.x >> 4]![threadIdx.x & 15]!;
  fence.proxyAsync();
  syncThreads();
  if (threadIdx.x === 0) {
    map.reduce(op, tile, [0, 0]);
    tma.commit();
    tma.wait(0);
  }
});

const bulk = kernel({ block: threads, grid: 1 }, function bulk(x: Tensor<"f32", 2>, out: Tensor<"f32", 1>) {
  const row = sharedMemory.alloc("f32", [1, 96]);
  const bar = loadedBarrier();
  let parity = false;
  for (const r of range(x.shape[0])) {
    if (threadIdx.x === 0) {
      bar.arrive({ tx: row.bytes });
      tma.bulkLoad(row, x.subview([r, 0], [1, 96]), bar);
    }
    bar.wait(parity);
    if (threadIdx.x < 96) out[r * 96 + threadIdx.x] = row[0]![threadIdx.x]! * 2;
    fence.proxyAsync(); // what has been read, before the next copy writes it
    syncThreads();
    parity = !parity;
  }
});

/** Predicates, cache hints, and a store that only waits until its source has been read. */
const options = kernel({ block: threads, grid: 1 }, function options(from: TMA<"f32", 2>, to: TMA<"f32", 2>) {
  const tiles = sharedMemory.alloc("f32", [2, 8, 32], { align: 128 });
  const bar = loadedBarrier();
  const elected = threadIdx.x === 32;
  for (const i of staticRange(2)) {
    bar.arrive({ tx: tiles.at(i).bytes, pred: elected });
    from.load(tiles.at(i), bar, [32 * i, 8], { pred: elected, cacheHint: i === 0 ? "evictFirst" : "evictLast" });
    bar.wait(i === 1);
    syncThreads(); // every warp has seen this phase before the next one can end
  }
  for (const i of range(2)) {
    to.store(tiles.at(i), [0, 8 * i], { pred: elected, cacheHint: "evictNormal" });
    if (elected) {
      tma.commit();
      tma.wait(0, { read: true });
    }
  }
  tma.wait(0);
});

/** A pipeline by hand: barriers that are full and barriers that are empty. */
const ring = kernel(
  { block: threads, grid: 1 },
  function ring(map: TMA<"i32", 2>, out: Tensor<"i32", 1>, stages: Static<number>) {
    const tiles = sharedMemory.alloc("i32", [stages, 1, 128], { align: 128 });
    const full = new Mbarriers(stages),
      empty = new Mbarriers(stages);
    if (threadIdx.x === 0) {
      for (const s of staticRange(stages)) {
        full.at(s).init(1);
        empty.at(s).init(96);
      }
      fence.mbarrierInit();
    }
    syncThreads();
    const rows = map.shape[0];
    if (threadIdx.x === 0) {
      // One thread alone: nobody would wait for the others, and they could fall behind by more than a parity tells apart.
      for (const r of range(rows)) {
        const s = r % stages;
        empty.at(s).wait(((Math.trunc(r / stages) & 1) ^ 1) as number);
        full.at(s).arrive({ tx: tiles.at(s).bytes });
        map.load(tiles.at(s), full.at(s), [0, r]);
      }
    } else if (threadIdx.x >= 32) {
      let sum = 0;
      for (const r of range(rows)) {
        const s = r % stages;
        full.at(s).wait(Math.trunc(r / stages) & 1);
        sum += tiles.at(s, 0, threadIdx.x).load() * (r + 1);
        fence.proxyAsync();
        empty.at(s).arrive();
      }
      out[threadIdx.x] = sum;
    }
  },
);

const widths: Readonly<Record<Swizzle, number>> = { none: 64, "32B": 32, "64B": 64, "128B": 128 };
const swizzles = Object.keys(widths) as Swizzle[];

/** Numbers that every element type can say. */
const small = (n: number, dtype: DType): (number | bigint)[] =>
  integers(n, 0, 15, 5).map((v) => (dtype === "i64" || dtype === "u64" ? BigInt(v) : v));

function swizzleCases(): Case[] {
  return (["f16", "bf16", "f32", "tf32", "f64", "i32", "u16", "i64", "u8", "i8", "e4m3"] as const).flatMap((dtype) =>
    swizzles.flatMap((swizzle) => {
      const columns = widths[swizzle] / bytesOf(dtype);
      // With a swizzle the view is two panels wide.
      const shape = [24, swizzle === "none" ? columns : 2 * columns];
      const box = [24, columns];
      const data = small(sizeOf(shape), dtype);
      const whole = [dtype, shape, data] as const;
      const flat = [dtype, [data.length], data] as const;
      return [
        defineCase(`tma/load-${dtype}-${swizzle}`, load, () => ({
          args: [mapOf(input(...whole), { box, swizzle }), output(...flat), shape, [0, 0]],
        })),
        defineCase(`tma/store-${dtype}-${swizzle}`, store, () => ({
          args: [input(...flat), mapOf(output(...whole), { box, swizzle }), shape, [0, 0]],
        })),
      ];
    }),
  );
}

interface Boxed {
  readonly name: string;
  readonly shape: readonly number[];
  readonly box: readonly number[];
  /** Outermost first. */
  readonly at: readonly number[];
  readonly swizzle?: Swizzle;
}
const boxes: readonly Boxed[] = [
  { name: "rank1", shape: [200], box: [64], at: [40] },
  { name: "rank2", shape: [20, 64], box: [8, 32], at: [9, 16] },
  { name: "rank3", shape: [5, 10, 32], box: [2, 4, 16], at: [3, 5, 8] },
  { name: "rank4", shape: [3, 4, 6, 16], box: [2, 1, 3, 8], at: [1, 2, 3, 4] },
  { name: "rank5", shape: [2, 3, 4, 5, 8], box: [2, 2, 3, 2, 4], at: [0, 1, 1, 3, 4] },
  { name: "rank3-swizzled", shape: [4, 16, 32], box: [2, 8, 32], at: [2, 8, 0], swizzle: "128B" },
  { name: "over-the-end", shape: [20, 64], box: [8, 32], at: [16, 48] },
  { name: "before-the-beginning", shape: [20, 64], box: [8, 32], at: [-3, -4] },
  { name: "outside", shape: [20, 64], box: [8, 32], at: [40, 100] },
  { name: "rank3-over", shape: [3, 5, 12], box: [2, 4, 8], at: [2, 3, 8] },
];

const inside = (index: readonly number[], shape: readonly number[]): boolean =>
  index.every((i, d) => i >= 0 && i < (shape[d] ?? 0));
const flatten = (index: readonly number[], shape: readonly number[]): number =>
  index.reduce((n, i, d) => n * (shape[d] ?? 1) + i, 0);
function unflatten(e: number, shape: readonly number[]): number[] {
  let rest = e;
  return shape
    .toReversed()
    .map((extent) => {
      const i = rest % extent;
      rest = Math.floor(rest / extent);
      return i;
    })
    .toReversed();
}

function boxCases(): Case[] {
  return boxes.flatMap(({ name, shape, box, at, swizzle = "none" }) => {
    const data = count(sizeOf(shape)).map((i) => i + 1);
    const places = count(sizeOf(box)).map((e) => unflatten(e, box).map((i, d) => i + (at[d] ?? 0)));
    const loaded = (fill: number) => places.map((p) => (inside(p, shape) ? data[flatten(p, shape)]! : fill));
    const tile = count(places.length).map((i) => -i - 1);
    const stored = [...data];
    places.forEach((p, e) => {
      if (inside(p, shape)) stored[flatten(p, shape)] = tile[e]!;
    });
    const coords = at.toReversed();
    const stores = () =>
      defineCase(`tma/box-${name}-store`, store, () => ({
        args: [
          input("f32", [tile.length], tile),
          mapOf(output("f32", shape, stored, { initial: data }), { box, swizzle }),
          box,
          coords,
        ],
      }));
    return [
      ...(["zero", "nan"] as const).map((oobFill) =>
        defineCase(`tma/box-${name}-${oobFill}`, load, () => ({
          args: [
            mapOf(input("f32", shape, data), { box, swizzle, oobFill }),
            output("f32", [places.length], loaded(oobFill === "zero" ? 0 : Number.NaN)),
            box,
            coords,
          ],
        })),
      ),
      // A store may not begin before the tensor.
      ...(at.some((i) => i < 0) ? [] : [stores()]),
    ];
  });
}

const combine: Readonly<Record<Reduction, (old: bigint, x: bigint) => bigint>> = {
  add: (old, x) => old + x,
  min: (old, x) => (x < old ? x : old),
  max: (old, x) => (x > old ? x : old),
  inc: (old, x) => (old >= x ? 0n : old + 1n),
  dec: (old, x) => (old === 0n || old > x ? x : old - 1n),
  and: (old, x) => old & x,
  or: (old, x) => old | x,
  xor: (old, x) => old ^ x,
};
const reductions: Readonly<Record<Reduction, readonly DType[]>> = {
  add: ["f16", "bf16", "f32", "i32", "u32", "u64"],
  min: ["f16", "bf16", "i32", "u32", "i64", "u64"],
  max: ["f16", "bf16", "i32", "u32", "i64", "u64"],
  inc: ["u32"],
  dec: ["u32"],
  and: ["i32", "u32", "u64"],
  or: ["i32", "u32", "u64"],
  xor: ["i32", "u32", "u64"],
};

function reduceCases(): Case[] {
  return (Object.keys(reductions) as Reduction[]).flatMap((op) =>
    reductions[op].map((dtype) => {
      const least = dtype[0] === "u" ? 0 : -20;
      const x = integers(128, least, 60, 3).map(BigInt),
        old = integers(128, least, 60, 4).map(BigInt);
      const as = (values: readonly bigint[]) => (dtype.endsWith("64") ? values : values.map(Number));
      const expected = old.map((o, i) => combine[op](o, x[i]!));
      return defineCase(`tma/reduce-${op}-${dtype}`, reduce, () => ({
        args: [
          input(dtype, [8, 16], as(x)),
          mapOf(output(dtype, [8, 16], as(expected), { initial: as(old) }), { box: [8, 16] }),
          op,
        ],
      }));
    }),
  );
}

function otherCases(): Case[] {
  const matrix = count(64 * 64);
  const strided = count(8 * 64);
  return [
    defineCase("tma/bulkLoad", bulk, () => ({
      args: [
        input("f32", [5, 96], count(480)),
        output(
          "f32",
          [480],
          count(480).map((i) => 2 * i),
        ),
      ],
    })),
    defineCase("tma/options", options, () => ({
      args: [
        mapOf(input("f32", [64, 64], matrix), { box: [8, 32], l2Promotion: "256B" }),
        mapOf(
          output(
            "f32",
            [16, 32],
            count(512).map((i) => {
              const [r, c] = [i >> 5, i & 31];
              return (8 + (r % 8)) * 64 + c + (r < 8 ? 0 : 32);
            }),
          ),
          { box: [8, 32] },
        ),
      ],
    })),
    defineCase("tma/elementStrides", load, () => ({
      args: [
        mapOf(input("f32", [8, 64], strided), { box: [8, 32], elementStrides: [2, 1] }),
        output(
          "f32",
          [4 * 32],
          count(128).map((i) => (i >> 5) * 2 * 64 + (i & 31) + 16),
        ),
        [4, 32],
        [16, 0],
      ],
    })),
    ...[1, 2, 3, 5].map((stages) =>
      defineCase(`mbarrier/ring${stages}`, ring, () => {
        const data = integers(23 * 128, -50, 50, stages);
        const sums = count(128).map((c) => count(23).reduce((sum, r) => sum + data[r * 128 + c]! * (r + 1), 0));
        return {
          args: [
            mapOf(input("i32", [23, 128], data), { box: [1, 128] }),
            output(
              "i32",
              [128],
              sums.map((s, c) => (c < 32 ? -1 : s)),
              { initial: count(128).map(() => -1) },
            ),
            stages,
          ],
        };
      }),
    ),
  ];
}

export const tmaCases: readonly Case[] = [...swizzleCases(), ...boxCases(), ...reduceCases(), ...otherCases()];
