// What the threads of a warp, a warpgroup, a block and a cluster compute together, against the documented order in plain JavaScript.

import type { DType, Static, Tensor } from "warpsmith";
import { block, blockIdx, cluster, explicit, expr, i32, kernel, range, threadIdx, u32, warp, warpgroup } from "warpsmith";
import { type Case, defineCase, input, output } from "./case.ts";
import { parts, reduceBlocks, scanBlocks } from "./collective-reference.ts";
import { edgeFloats, edgeInts, integers, roundings, uniform } from "./numbers.ts";

type Any = Exclude<DType, "i64" | "u64" | "bool">;
const groups = { warp, warpgroup, block, cluster };
type Group = keyof typeof groups;

/** Threads of a block, blocks of a cluster. */
interface Shape {
  readonly threads: number;
  readonly blocks: number;
}

/** The values of each group, each as its blocks. */
function membersOf<T>(x: readonly T[], group: Group, { threads, blocks }: Shape): T[][][] {
  const all = parts(x, threads);
  if (group === "cluster") return parts(all, blocks);
  const size = { warp: 32, warpgroup: 128, block: threads }[group];
  return all.flatMap((one) => parts(one, size)).map((one) => [one]);
}

const reduced = <T>(x: readonly T[], group: Group, shape: Shape, combine: (a: T, b: T) => T): T[] =>
  membersOf(x, group, shape).flatMap((members) => {
    const all = reduceBlocks(members, combine);
    return members.flat().map(() => all);
  });

const scanned = <T>(x: readonly T[], group: Group, shape: Shape, combine: (a: T, b: T) => T, first?: T): T[] =>
  membersOf(x, group, shape).flatMap((members) => scanBlocks(members, combine, first));

/** Four blocks. */
const grid = 4;
const sizeOf = ({ threads }: Shape): number => grid * threads;

const makeReductions = ({ threads, blocks }: Shape) =>
  kernel(
    { block: threads, grid, cluster: blocks },
    function reductions(x: Tensor<Any, 1>, y: Tensor<Any, 2>, group: Static<Group>) {
      const i = blockIdx.x * threads + threadIdx.x;
      const all = groups[group];
      const v = x[i]!;
      y.at(0, i).store(all.sum(v));
      y.at(1, i).store(all.max(v));
      y.at(2, i).store(all.min(v));
    },
  );

/** A block of whole warpgroups, one with a warp that has 8 lanes, one of 5 lanes, and clusters of single warps. */
const shapes: readonly Shape[] = [
  { threads: 256, blocks: 2 },
  { threads: 72, blocks: 1 },
  { threads: 5, blocks: 1 },
  { threads: 32, blocks: 2 },
];
const kernels = shapes.map((shape) => ({ shape, reductions: makeReductions(shape) }));
const fits = (group: Group, { threads, blocks }: Shape): boolean =>
  (group !== "warpgroup" || threads % 128 === 0) && (group !== "cluster" || blocks > 1);

type NumberType = "f32" | "f64" | "f16" | "bf16" | "i32" | "u32" | "i64" | "u64";
const wrapped: { readonly [T in NumberType]?: (x: bigint) => bigint } = {
  i32: (x) => BigInt.asIntN(32, x),
  u32: (x) => BigInt.asUintN(32, x),
  i64: (x) => BigInt.asIntN(64, x),
  u64: (x) => BigInt.asUintN(64, x),
};
const isWide = (type: NumberType): boolean => type === "i64" || type === "u64";
const isInteger = (type: NumberType): boolean => type in wrapped;

/** Sums of 16-bit floats go through f32. */
function adder(type: NumberType): (a: number | bigint, b: number | bigint) => number | bigint {
  const wrap = wrapped[type];
  const round = type === "f64" ? (x: number) => x : Math.fround;
  return (a, b) => {
    if (!wrap) return round(Number(a) + Number(b));
    const sum = wrap(BigInt(a) + BigInt(b));
    return isWide(type) ? sum : Number(sum);
  };
}
const greater = (a: number | bigint, b: number | bigint): number | bigint =>
  typeof a === "bigint" || typeof b === "bigint" ? (a > b ? a : b) : Math.max(a, b);
const lesser = (a: number | bigint, b: number | bigint): number | bigint =>
  typeof a === "bigint" || typeof b === "bigint" ? (a < b ? a : b) : Math.min(a, b);

/** Ordinary numbers in one half, every edge of the type in the other. */
function numbersOf(type: NumberType, count: number): (number | bigint)[] {
  if (isInteger(type)) {
    const edges = edgeInts(type as "i32");
    const all = Array.from({ length: count }, (_, i) => edges[(i * 5) % edges.length] ?? 0n);
    return isWide(type) ? all : all.map(Number);
  }
  const edges = edgeFloats(type as "f32");
  const random = uniform(count, 3);
  const round = roundings[type as "f32"];
  return Array.from(random, (u, i) => (i < count / 2 ? round((u - 0.4) * 100) : (edges[(i * 3) % edges.length] ?? 0)));
}

function reductionCase(type: NumberType, group: Group, n: number): Case | undefined {
  const one = kernels[n];
  if (!one || !fits(group, one.shape)) return undefined;
  const { shape, reductions } = one;
  return defineCase(`collectives/${group}-${type}-of-${shape.threads}`, reductions, () => {
    const x = numbersOf(type, sizeOf(shape));
    const round = isInteger(type) ? (v: number | bigint) => v : (v: number | bigint) => roundings[type as "f32"](Number(v));
    const rows = [
      reduced(x, group, shape, adder(type)).map(round),
      reduced(x, group, shape, greater),
      reduced(x, group, shape, lesser),
    ];
    return { args: [input(type, [x.length], x), output(type, [3, x.length], rows.flat()), group] };
  });
}

const types: readonly NumberType[] = ["f32", "f64", "f16", "bf16", "i32", "u32", "i64", "u64"];
const groupNames = Object.keys(groups) as Group[];
const reductionCases = groupNames.flatMap((group) =>
  types.flatMap((type) => shapes.flatMap((_, n) => reductionCase(type, group, n) ?? [])),
);

/** The steps x → a·x + b one after the other: what comes first matters. */
type Step = readonly [a: number, b: number];
const after = (first: Step, second: Step): Step => [
  Math.imul(first[0], second[0]),
  (Math.imul(first[1], second[0]) + second[1]) | 0,
];

const makeOrdered = ({ threads, blocks }: Shape) =>
  kernel(
    { block: threads, grid, cluster: blocks },
    function ordered(x: Tensor<"i32", 1>, y: Tensor<"i32", 2>, group: Static<Group>) {
      const i = blockIdx.x * threads + threadIdx.x;
      const all = groups[group];
      const own = [x[i]!, i32(i)];
      const step = (p: number[], q: number[]): number[] => [Math.imul(p[0]!, q[0]!), (Math.imul(p[1]!, q[0]!) + q[1]!) | 0];
      const whole = all.reduce(own, step);
      const running = all.scan(own, step);
      const before = all.scan(own, step, { exclusive: [1, -7] });
      for (const [row, v] of [...whole, ...running, ...before].entries()) y.at(row, i).store(v);
    },
  );

/** A number and where it is, its truth value beside it: the greatest, the first of equal ones. */
const makeArgmax = ({ threads, blocks }: Shape) =>
  kernel(
    { block: threads, grid, cluster: blocks },
    function argmax(x: Tensor<"f32", 1>, at: Tensor<"i32", 1>, any: Tensor<"bool", 1>, group: Static<Group>) {
      const i = blockIdx.x * threads + threadIdx.x;
      const value = x[i]!;
      const best = groups[group].reduce({ value, index: i, odd: value % 2 !== 0 }, (a, b) => ({
        odd: a.odd || b.odd,
        value: b.value > a.value ? b.value : a.value,
        index: b.value > a.value ? b.index : a.index,
      }));
      at[i] = best.index;
      any[i] = best.odd;
    },
  );

const orderedKernels = shapes.map((shape) => ({ shape, ordered: makeOrdered(shape), argmax: makeArgmax(shape) }));

const structureCases = groupNames.flatMap((group) =>
  orderedKernels
    .filter(({ shape }) => fits(group, shape))
    .flatMap(({ shape, ordered, argmax }) => [
      defineCase(`collectives/${group}-in-order-of-${shape.threads}`, ordered, () => {
        const x = integers(sizeOf(shape), -9, 9, 4).map((v) => 2 * v + 1);
        const steps = x.map((a, i): Step => [a, i]);
        const lists = [
          reduced(steps, group, shape, after),
          scanned(steps, group, shape, after),
          scanned(steps, group, shape, after, [1, -7]),
        ];
        const rows = lists.flatMap((list) => [list.map(([a]) => a), list.map(([, b]) => b)]);
        return { args: [input("i32", [x.length], x), output("i32", [6, x.length], rows.flat()), group] };
      }),
      defineCase(`collectives/${group}-argmax-of-${shape.threads}`, argmax, () => {
        // Even numbers but for one group.
        const x = integers(sizeOf(shape), 0, 40, 5).map((v, i) => 2 * v + (i === sizeOf(shape) - 2 ? 1 : 0));
        const odd = reduced(
          x.map((v) => v % 2),
          group,
          shape,
          (a, b) => a | b,
        );
        const best = reduced(
          x.map((value, index) => ({ value, index })),
          group,
          shape,
          (a, b) => (b.value > a.value ? b : a),
        );
        const n = x.length;
        const at = best.map(({ index }) => index);
        return {
          args: [input("f32", [n], x), output("i32", [n], at), output("bool", [n], odd), group],
        };
      }),
    ]),
);

const threads = 96;

/** In a loop the memory of a reduction is written again: nobody may be ahead of who still reads. */
const inLoops = kernel({ block: threads, grid: 2, cluster: 2 }, function inLoops(x: Tensor<"f32", 2>, y: Tensor<"f32", 2>) {
  const i = blockIdx.x * threads + threadIdx.x;
  let total = 0;
  let shared = 0;
  for (const row of range(x.shape[0])) {
    const v = x[row]![i]!;
    total += block.sum(v) * block.max(v);
    shared += cluster.sum(v);
  }
  y.at(0, i).store(total);
  y.at(1, i).store(shared);
  y.at(2, i).store(warp.reduce(total, (a, b) => (a < b ? b : a)));
});

const loopCase = defineCase("collectives/in-loops", inLoops, () => {
  const rows = 5;
  const shape = { threads, blocks: 2 };
  const n = 2 * threads;
  const x = Array.from({ length: rows }, (_, row) => integers(n, -20, 20, row + 1));
  const add = (a: number, b: number): number => a + b;
  const sums = (group: Group, list: readonly number[]): number[] => reduced(list, group, shape, add);
  const total = x.map((list) => {
    const most = reduced(list, "block", shape, Math.max);
    return sums("block", list).map((sum, i) => sum * (most[i] ?? 0));
  });
  const column = (lists: readonly (readonly number[])[]) =>
    Array.from({ length: n }, (_, i) => lists.reduce((a, l) => a + (l[i] ?? 0), 0));
  const all = column(total);
  const rowsOut = [all, column(x.map((list) => sums("cluster", list))), all];
  return { args: [input("f32", [rows, n], x.flat()), output("f32", [3, n], rowsOut.flat())] };
});

/** Each partition by itself: its warpgroups meet at barriers of their own. */
const inPartitions = kernel({ block: 384, grid: 1 }, function inPartitions(x: Tensor<"i32", 1>, y: Tensor<"i32", 2>) {
  const add = (a: number, b: number): number => a + b;
  warpgroup.specialize({
    first: {
      run: () => {
        const i = warpgroup.thread;
        for (const n of range(3)) y.at(n, i).store(warpgroup.sum(x[i]! + n));
      },
    },
    others: {
      warpgroups: 2,
      run: (wg) => {
        const i = 128 * (1 + wg) + warpgroup.thread;
        y.at(0, i).store(warpgroup.scan(x[i]!, add));
        y.at(1, i).store(warpgroup.max(x[i]!));
        y.at(2, i).store(warpgroup.scan(x[i]!, add, { exclusive: -1 }));
      },
    },
  });
});

const partitionCase = defineCase("collectives/in-partitions", inPartitions, () => {
  const n = 384;
  const shape = { threads: n, blocks: 1 };
  const x = integers(n, -50, 50, 8);
  const add = (a: number, b: number): number => a + b;
  const sum = reduced(x, "warpgroup", shape, add)[0] ?? 0;
  const others = [
    scanned(x, "warpgroup", shape, add),
    reduced(x, "warpgroup", shape, Math.max),
    scanned(x, "warpgroup", shape, add, -1),
  ];
  const rows = others.flatMap((row, r) => row.map((v, i) => (i < 128 ? sum + 128 * r : v)));
  return { args: [input("i32", [n], x), output("i32", [3, n], rows)] };
});

/** Words take one instruction, whatever the author calls the operator; what is static is the same in all lanes. */
const words = kernel({ block: 64, grid: 1 }, function words(x: Tensor<"u32", 1>, s: Tensor<"i32", 1>, y: Tensor<"u32", 2>) {
  const t = threadIdx.x;
  y.at(0, t).store(warp.reduce(x[t]!, (a, b) => u32(a & b)));
  y.at(1, t).store(u32(warp.reduce(s[t]!, (a, b) => a & b)));
  y.at(2, t).store(u32(warp.reduce(s[t]!, (a, b) => a | b)));
  y.at(3, t).store(u32(warp.reduce(s[t]!, (a, b) => a ^ b)));
  y.at(4, t).store(warp.sum(3));
  let count = 0;
  if (s[t]! > 0) count++;
  y.at(5, t).store(block.sum(count));
});

const wordCase = defineCase("collectives/words", words, () => {
  const n = 64;
  const s = integers(n, -5, 1 << 20, 6);
  const shape = { threads: n, blocks: 1 };
  const of = (combine: (a: number, b: number) => number): number[] => reduced(s, "warp", shape, combine).map((v) => v >>> 0);
  const and = of((a, b) => a & b);
  const positive = s.filter((v) => v > 0).length;
  const rows = [and, and, of((a, b) => a | b), of((a, b) => a ^ b), s.map(() => 96), s.map(() => positive)];
  const x = s.map((v) => v >>> 0);
  return { args: [input("u32", [n], x), input("i32", [n], s), output("u32", [6, n], rows.flat())] };
});

/**
 * What a combination may be made of: branches, loops, values from outside, helpers; with what `debug` checks, and a block of two dimensions.
 * Without a cluster a block is one by itself.
 */
const bodies = kernel({ block: [8, 6], grid: 1, debug: true }, function bodies(x: Tensor<"i32", 1>, y: Tensor<"i32", 2>) {
  const t = threadIdx.y * 8 + threadIdx.x;
  const v = x[t]!;
  const limit = x[0]!;
  const most = (a: number, b: number): number => {
    let best = a;
    if (b > best && b < limit) best = b;
    return best;
  };
  y.at(0, t).store(block.reduce(v, most));
  const gcd = (a: number, b: number): number => {
    let [p, q] = [a, b];
    while (q !== 0) [p, q] = [q, p % q];
    return Math.abs(p);
  };
  y.at(1, t).store(block.scan(v, gcd));
  const wrapped = warp.index;
  y.at(4, t).store(block.reduce(t, (a, b) => (x[a]! >= x[b]! + wrapped - warp.index ? a : b)));
  y.at(2, t).store(cluster.reduce(v, (a, b) => a + b));
  const { count, sum } = cluster.scan({ count: 1, sum: v }, (a, b) => ({ sum: a.sum + b.sum, count: a.count + b.count }));
  y.at(3, t).store(sum * 100 + count);
});

const bodyCase = defineCase("collectives/bodies", bodies, () => {
  const n = 48;
  const x = [40, ...integers(n - 1, -60, 60, 11).map((v) => 2 * v)];
  const shape = { threads: n, blocks: 1 };
  const gcd = (a: number, b: number): number => (b === 0 ? Math.abs(a) : gcd(b, a % b));
  const add = (a: number, b: number): number => a + b;
  const rows = [
    reduced(x, "block", shape, (a, b) => (b > a && b < 40 ? b : a)),
    scanned(x, "block", shape, gcd),
    reduced(x, "cluster", shape, add),
    scanned(x, "cluster", shape, add).map((sum, i) => sum * 100 + i + 1),
    x.map(() => x.indexOf(Math.max(...x))),
  ];
  return { args: [input("i32", [n], x), output("i32", [5, n], rows.flat())] };
});

/** Without the transform, the combination is explicit too; JavaScript's own functions combine as they are. */
const explicitly = kernel(
  { block: 64, grid: 1, params: ["tensor", "tensor"] },
  explicit((x: Tensor<"f32", 1>, y: Tensor<"f32", 2>) => {
    const t = threadIdx.x;
    const v = x.at(t).load();
    const add = explicit((a: number, b: number) => expr(a).add(expr(b)) as unknown as number);
    y.at(0, t).store(block.reduce(v, add));
    y.at(1, t).store(warp.reduce(v, Math.max));
  }),
);

const explicitCase = defineCase("collectives/explicit", explicitly, () => {
  const n = 64;
  const x = integers(n, -99, 99, 12);
  const shape = { threads: n, blocks: 1 };
  const rows = [reduced(x, "block", shape, (a, b) => a + b), reduced(x, "warp", shape, Math.max)];
  return { args: [input("f32", [n], x), output("f32", [2, n], rows.flat())] };
});

export const collectiveCases: readonly Case[] = [
  ...reductionCases,
  ...structureCases,
  loopCase,
  partitionCase,
  wordCase,
  bodyCase,
  explicitCase,
];
