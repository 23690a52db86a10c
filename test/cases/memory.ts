import type { DType, i32, Static, Tensor } from "warpsmith";
import { blockIdx, i64, kernel, range, sharedMemory, syncThreads, threadIdx } from "warpsmith";
import { type Case, defineCase, input, output, viewOf } from "./case.ts";
import { bytesOf, count, edgeFloats, edgeInts, integers, roundings } from "./numbers.ts";

/** Any element type; the tests pass those of 64 bits, and bools, too. */
type Any = Exclude<DType, "i64" | "u64" | "bool">;

export const valuesOf: Readonly<Record<DType, readonly (number | bigint)[]>> = {
  f64: edgeFloats("f64"),
  f32: edgeFloats("f32"),
  tf32: [0, 1, -1.5, 0.25, 1024, -3, Number.POSITIVE_INFINITY],
  f16: edgeFloats("f16"),
  bf16: edgeFloats("bf16"),
  e4m3: count(60).map((i) => roundings.e4m3((i - 30) * 1.7)),
  e5m2: count(60).map((i) => roundings.e5m2((i - 30) * 3.3)),
  i64: edgeInts("i64"),
  u64: edgeInts("u64"),
  i32: edgeInts("i32").map(Number),
  u32: edgeInts("u32").map(Number),
  i16: edgeInts("i16").map(Number),
  u16: edgeInts("u16").map(Number),
  i8: edgeInts("i8").map(Number),
  u8: edgeInts("u8").map(Number),
  bool: [0, 1, 1, 0, 0, 1],
};
export const dtypes = Object.keys(valuesOf) as DType[];

const copy = kernel({ block: 128, grid: 1 }, function copy(x: Tensor<Any, 1>, out: Tensor<Any, 1>) {
  const i = threadIdx.x;
  if (i < x.shape[0]) out[i] = x[i]!;
});

/** Through shared memory, in reverse. */
const reverse = kernel({ block: 128, grid: 1 }, function reverse(x: Tensor<Any, 1>, out: Tensor<Any, 1>) {
  const n = x.shape[0],
    i = threadIdx.x;
  const buffer = sharedMemory.alloc(x.dtype, [128]);
  if (i < n) buffer.at(i).store(x.at(i).load());
  syncThreads();
  if (i < n) out.at(i).store(buffer.at(n - 1 - i).load());
});

const ranks = kernel(
  { block: 64, grid: 1 },
  function ranks(x: Tensor<"i32">, out: Tensor<"i32", 1>, shape: Static<readonly number[]>) {
    const total = shape.reduce((n, s) => n * s, 1);
    for (const i of range(threadIdx.x, total, 64)) {
      let rest = i;
      const index: number[] = [];
      for (const extent of shape.toReversed()) {
        index.unshift(rest % extent);
        rest = Math.trunc(rest / extent);
      }
      const place = x.at(...index) as unknown as { load(): number };
      out[i] = place.load() * 2;
    }
  },
);

const rows = kernel({ block: 32, grid: 1 }, function rows(x: Tensor<"f32", 3>, out: Tensor<"f32", 2>) {
  const lane = threadIdx.x;
  for (const r of range(x.shape[0])) {
    const matrix = x[r]!;
    let sum = 0;
    for (const c of range(x.shape[1])) sum += matrix[c]![lane]!;
    out[r]![lane] = sum;
    out[r]![lane]! += 1;
    out[r]![lane]! *= 2;
  }
});

/** `place.value` in every way that it can be read and assigned. */
const values = kernel(
  { block: 32, grid: 1 },
  function values(x: Tensor<"i32", 2>, out: Tensor<"i32", 2>, wide: Tensor<"i64", 1>, odd: Tensor<"bool", 1>) {
    const lane = threadIdx.x;
    const buffer = sharedMemory.alloc("i32", [2, 32]);
    buffer.at(0, lane).value = buffer.at(1).at(lane).value = x.at(0, lane).value;
    const here = out.at(1, lane);
    here.value = buffer.at(0, lane).value;
    if (lane % 2 === 0) here.value *= 3;
    else here.value--;
    out.at(0, lane).value = here.value++ + x.at(1, lane).value;
    wide.at(lane).value += 5n;
    odd.at(lane).value = lane % 2 !== 0;
  },
);

const subviews = kernel({ block: 32, grid: 3 }, function subviews(x: Tensor<"i32", 2>, out: Tensor<"i32", 2>) {
  const tile = x.subview([blockIdx.x * 2, 3], [2, 32]);
  const part = out.subview([blockIdx.x * 2, 0], [2, 32]).subview([1, 0], [1, 32]);
  part[0]![threadIdx.x] =
    tile[0]![threadIdx.x]! * 1000 +
    tile
      .subview([1, 1], [1, 8])
      .at(0, threadIdx.x % 8)
      .load();
});

/** Parts with strides, of a tensor and of shared memory in panels: read, written, taken apart again. */
const strides = kernel({ block: 32, grid: 2 }, function strides(x: Tensor<"i32", 2>, out: Tensor<"i32", 2>) {
  const t = threadIdx.x;
  const panels = sharedMemory.alloc("i32", [8, 64], { swizzle: "128B" });
  for (const r of range(8)) for (const c of [0, 32]) panels[r]![c + t] = x[r]![c + t]!;
  syncThreads();
  const every = x.subview([blockIdx.x, 3], [4, 20], [2, 3]);
  const inPanels = panels.subview([1, 0], [3, 16], [3, 4]);
  const turned = inPanels.transpose().subview([0, 0], [8, 2], [2, 2]);
  const target = out.subview([blockIdx.x, 1], [3, 32], [2, 2]);
  target[0]![t] = t < 20 ? every[3]![t]! : 0;
  target[1]![t] =
    every
      .subview([1, 0], [2, 10], [2, 2])
      .at(1, t % 10)
      .load() +
    1000 * inPanels[2]![t % 16]!;
  target[2]![t] = turned[t % 8]![(t >> 3) & 1]!;
});

const reshapes = kernel({ block: 24, grid: 1 }, function reshapes(x: Tensor<"i32", 3>, out: Tensor<"i32", 1>) {
  const flat = x.reshape(24),
    folded = x.reshape(6, 4),
    turned = x.transpose(2, 0, 1);
  const i = threadIdx.x;
  const [a, b, c] = x.shape;
  const p = Math.trunc(i / (b * c)),
    q = Math.trunc(i / c) % b,
    r = i % c;
  out[i] = flat[i]! + folded[Math.trunc(i / 4)]![i % 4]! * 100 + turned.at(r, p, q).load() * 10000 + a * 0;
});

const dynamicSum = kernel(
  { block: 32, grid: 1, dynamic: { x: [0, 1], out: [0] } },
  function dynamicSum(x: Tensor<"i32", 2>, out: Tensor<"i32", 1>) {
    for (const r of range(threadIdx.x, x.shape[0], 32)) {
      let sum = 0;
      for (const c of range(x.shape[1])) sum += x[r]![c]!;
      out[r] = sum + x.shape[1];
    }
  },
);

const vectors = (width: 2 | 4 | 8 | 16) =>
  kernel({ block: 32, grid: 1 }, function vectors(x: Tensor<Any, 1>, out: Tensor<Any, 1>) {
    const i = threadIdx.x * width;
    const values = x.at(i).load({ vector: width });
    out.at(i).store([...values].toReversed());
  });

const predicated = kernel({ block: 64, grid: 1 }, function predicated(x: Tensor<"f32", 1>, out: Tensor<"f32", 2>) {
  const i = threadIdx.x;
  out[0]![i] = x.at(i).load({ pred: i % 3 === 0, other: -4 });
  out[1]![i] = x.at(i).load({ pred: i < 40 });
  out.at(2, i).store(x[i]!, { pred: i % 2 === 1 });
  const pair = x.at((i >> 1) * 2).load({ pred: i > 30, other: 9, vector: 2 });
  out[3]![i] = pair[0] * 100 + pair[1];
});

const caches = kernel({ block: 32, grid: 1 }, function caches(x: Tensor<"i32", 1>, out: Tensor<"i32", 2>) {
  const i = threadIdx.x;
  const kinds = ["ca", "cg", "cs", "lu", "cv", "nc"] as const;
  kinds.forEach((cache, row) => {
    out[row]![i] = x.at(i).load({ cache }) + row;
  });
  const ways = ["wb", "cg", "cs", "wt"] as const;
  ways.forEach((cache, row) => {
    out.at(6 + row, i).store(x[i]! - row, { cache });
  });
});

const sharedViews = kernel({ block: 64, grid: 1 }, function sharedViews(x: Tensor<"f32", 2>, out: Tensor<"f32", 2>) {
  const t = threadIdx.x;
  const a = sharedMemory.alloc("f32", [8, 64]);
  for (const r of range(8)) a[r]![t] = x[r]![t]!;
  syncThreads();
  const turned = a.transpose(),
    half = a.subview([4, 32], [4, 32]),
    flat = a.reshape(512);
  for (const r of range(8)) out[r]![t] = turned[t]![r]! + flat[(r * 64 + t + 1) % 512]! * 1000;
  if (t < 32) for (const r of range(4)) out[8 + r]![t] = half[r]![t]!;
  else for (const r of range(4)) out[8 + r]![t] = a.reinterpret("f32", [4, 128]).at(r, t).load();
});

const sharedDynamic = kernel(
  { block: 32, grid: 1, smem: 1024 },
  function sharedDynamic(x: Tensor<"i32", 1>, out: Tensor<"i32", 1>) {
    const t = threadIdx.x;
    const low = sharedMemory.dynamic("i32", [32], { at: 0 }),
      high = sharedMemory.dynamic("i32", [32], { at: 512 });
    const own = sharedMemory.alloc("i32", [32]),
      again = sharedMemory.alloc("i32", [32], { reuse: own });
    low[t] = x[t]!;
    high[t] = x[t]! * 2;
    own[t] = x[t]! * 3;
    syncThreads();
    out[t] = low[31 - t]! + high[t]! * 100 + own[(t + 1) % 32]! * 10000;
    syncThreads();
    again[t] = t;
    syncThreads();
    out[t]! += again[(t + 5) % 32]!;
  },
);

/** 64-bit offsets: an index in i32, one in i64, and a step that leaves 31 bits only when multiplied. */
const far = kernel({ block: 32, grid: 1 }, function far(x: Tensor<"u8", 2>, row: i32, value: Static<number>) {
  const t = threadIdx.x;
  x[row]![t] = value;
  x.at(i64(row) + 1n, t).store(value);
  x.at(0, (row - 1) * 0 + t).store(value);
  for (const r of range(4090, 4093)) x.at(r, t + 32).store(value);
});

function farCase(): Case {
  const shape = [5120, 2 ** 20] as const;
  const at = { dtype: "u8", rank: 2, shape, strides: [2 ** 20, 1] } as const;
  return {
    name: "memory/beyond4GiB",
    compile: () => far.compile(at, 5000, 7),
    async run(gpu) {
      using x = gpu.zeros("u8", shape);
      far.launch({}, x, 5000, 7);
      const row = async (r: number, from: number): Promise<string> => {
        const part = await x.slice([r, r + 1], [from, from + 32]).read();
        return [...new Set(part)].join();
      };
      const found = [
        await row(5000, 0),
        await row(5001, 0),
        await row(0, 0),
        await row(4090, 32),
        await row(4092, 32),
        await row(4093, 32),
        await row(904, 0),
      ];
      if (found.join(" ") !== "7 7 7 7 7 0 0") throw new Error(`rows hold ${found.join(" ")}`);
    },
  };
}

const shapes = [[50], [10, 5], [2, 5, 5], [2, 5, 1, 5], [3, 2, 2, 2, 2]];
const x3 = integers(4 * 3 * 32, -9, 9, 3);

function layoutCases(): Case[] {
  const grid6 = count(6 * 40);
  const wide = count(64);
  return [
    defineCase("memory/rows", rows, () => ({
      args: [
        input("f32", [4, 3, 32], x3),
        output(
          "f32",
          [4, 32],
          count(128).map((i) => {
            const [r, lane] = [Math.trunc(i / 32), i % 32];
            return (count(3).reduce((sum, c) => sum + x3[r * 96 + c * 32 + lane]!, 0) + 1) * 2;
          }),
        ),
      ],
    })),
    defineCase("memory/subviews", subviews, () => ({
      args: [
        input("i32", [6, 40], grid6),
        output(
          "i32",
          [6, 32],
          count(192).map((i) => {
            const [r, t] = [Math.trunc(i / 32), i % 32];
            return r % 2 === 0 ? -1 : ((r - 1) * 40 + 3 + t) * 1000 + r * 40 + 4 + (t % 8);
          }),
          { initial: count(192).map(() => -1) },
        ),
      ],
    })),
    defineCase("memory/strides", strides, () => ({
      args: [
        input("i32", [8, 64], count(512)),
        output(
          "i32",
          [6, 64],
          count(384).map((at) => {
            const [r, c] = [Math.trunc(at / 64), at % 64];
            const [block, t] = [r % 2, (c - 1) / 2];
            if (c % 2 === 0) return -1;
            if (r < 2) return t < 20 ? (block + 6) * 64 + 3 + 3 * t : 0;
            if (r < 4) return (block + 6) * 64 + 3 + 6 * (t % 10) + 1000 * (448 + 4 * (t % 16));
            return (1 + 6 * ((t >> 3) & 1)) * 64 + 8 * (t % 8);
          }),
          { initial: count(384).map(() => -1) },
        ),
      ],
    })),
    defineCase("memory/reshapes", reshapes, () => ({
      args: [
        input("i32", [2, 3, 4], count(24)),
        output(
          "i32",
          [24],
          count(24).map((i) => i * 10101),
        ),
      ],
    })),
    defineCase("memory/sharedViews", sharedViews, () => ({
      args: [
        input("f32", [8, 64], count(512)),
        output(
          "f32",
          [12, 64],
          count(768).map((i) => {
            const [r, t] = [Math.trunc(i / 64), i % 64];
            if (r < 8) return i + ((i + 1) % 512) * 1000;
            return t < 32 ? (r - 4) * 64 + 32 + t : (r - 8) * 128 + t;
          }),
        ),
      ],
    })),
    defineCase("memory/sharedDynamic", sharedDynamic, () => ({
      args: [
        input("i32", [32], count(32)),
        output(
          "i32",
          [32],
          count(32).map((t) => 31 - t + t * 200 + ((t + 1) % 32) * 30000 + ((t + 5) % 32)),
        ),
      ],
    })),
    defineCase("memory/predicated", predicated, () => ({
      args: [
        input("f32", [64], wide),
        output(
          "f32",
          [4, 64],
          [
            ...wide.map((i) => (i % 3 === 0 ? i : -4)),
            ...wide.map((i) => (i < 40 ? i : 0)),
            ...wide.map((i) => (i % 2 === 1 ? i : -1)),
            ...wide.map((i) => (i > 30 ? (i & ~1) * 100 + (i | 1) : 909)),
          ],
          { initial: count(256).map(() => -1) },
        ),
      ],
    })),
    defineCase("memory/caches", caches, () => ({
      args: [
        input("i32", [32], count(32)),
        output(
          "i32",
          [10, 32],
          count(320).map((i) => {
            const [r, t] = [Math.trunc(i / 32), i % 32];
            return r < 6 ? t + r : t - (r - 6);
          }),
        ),
      ],
    })),
  ];
}

function stridedCases(): Case[] {
  const base = count(60);
  const element = (r: number, c: number): number => r * 10 + c;
  const pick = (rowsOf: number[], colsOf: number[], f: (r: number, c: number) => number): number[] =>
    rowsOf.flatMap((r) => colsOf.map((c) => f(r, c) * 2));
  const from = (a: number, b: number): number[] => count(b).slice(a);
  return [
    defineCase("memory/value", values, () => {
      const x = integers(64, -1000, 1000);
      const own = count(32).map((i) => (i % 2 === 0 ? (x[i] ?? 0) * 3 : (x[i] ?? 0) - 1));
      return {
        args: [
          input("i32", [2, 32], x),
          output("i32", [2, 32], [...own.map((n, i) => n + (x[32 + i] ?? 0)), ...own.map((n) => n + 1)]),
          output(
            "i64",
            [32],
            count(32).map((i) => BigInt(i) + 5n),
            { initial: count(32).map(BigInt) },
          ),
          output(
            "bool",
            [32],
            count(32).map((i) => i % 2),
          ),
        ],
      };
    }),
    defineCase("memory/hostTranspose", ranks, () => ({
      args: [
        viewOf(input("i32", [6, 10], base), { transpose: [1, 0] }),
        output(
          "i32",
          [60],
          pick(count(10), count(6), (r, c) => element(c, r)),
        ),
        [10, 6],
      ],
    })),
    defineCase("memory/hostSlice", ranks, () => ({
      args: [
        viewOf(input("i32", [6, 10], base), {
          slice: [
            [2, 5],
            [3, 9],
          ],
        }),
        output("i32", [18], pick(from(2, 5), from(3, 9), element)),
        [3, 6],
      ],
    })),
    defineCase("memory/hostSliceTransposed", ranks, () => ({
      args: [
        viewOf(input("i32", [6, 10], base), { slice: [[1, 6], undefined], transpose: [1, 0] }),
        output(
          "i32",
          [50],
          pick(count(10), from(1, 6), (r, c) => element(c, r)),
        ),
        [10, 5],
      ],
    })),
    ...[
      [7, 5],
      [33, 3],
      [64, 1],
    ].map(([r = 1, c = 1]) =>
      defineCase(`memory/dynamic${r}x${c}`, dynamicSum, () => ({
        args: [
          input("i32", [r, c], count(r * c)),
          output(
            "i32",
            [r],
            count(r).map((i) => count(c).reduce((sum, j) => sum + i * c + j, 0) + c),
          ),
        ],
      })),
    ),
    defineCase("memory/dynamicStrided", dynamicSum, () => ({
      args: [
        viewOf(input("i32", [6, 10], base), {
          slice: [
            [1, 5],
            [2, 6],
          ],
        }),
        output(
          "i32",
          [4],
          from(1, 5).map((r) => from(2, 6).reduce((sum, c) => sum + element(r, c), 0) + 4),
        ),
      ],
    })),
  ];
}

function vectorCases(): Case[] {
  return dtypes.flatMap((dtype) =>
    ([2, 4, 8, 16] as const)
      .filter((width) => width * bytesOf(dtype) <= 16)
      .map((width) => {
        const source = valuesOf[dtype];
        const data = count(32 * width).map((i) => source[i % source.length]!);
        const expected = count(32 * width).map((i) => data[i - (i % width) + (width - 1 - (i % width))]!);
        return defineCase(`vectors/${dtype}x${width}`, vectors(width), () => ({
          args: [input(dtype, [data.length], data), output(dtype, [data.length], expected)],
        }));
      }),
  );
}

export const memoryCases: readonly Case[] = [
  ...dtypes.flatMap((dtype) => {
    const data = valuesOf[dtype];
    const shape = [data.length];
    return [
      defineCase(`memory/copy-${dtype}`, copy, () => ({ args: [input(dtype, shape, data), output(dtype, shape, data)] })),
      defineCase(`memory/shared-${dtype}`, reverse, () => ({
        args: [input(dtype, shape, data), output(dtype, shape, data.toReversed())],
      })),
    ];
  }),
  ...shapes.map((shape) => {
    const total = shape.reduce((n, s) => n * s, 1);
    return defineCase(`memory/rank${shape.length}`, ranks, () => ({
      args: [
        input("i32", shape, count(total)),
        output(
          "i32",
          [total],
          count(total).map((i) => 2 * i),
        ),
        shape,
      ],
    }));
  }),
  ...layoutCases(),
  ...stridedCases(),
  ...vectorCases(),
  farCase(),
];
