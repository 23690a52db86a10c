import type { AtomicOp, DType, Static, Tensor } from "warpsmith";
import { blockIdx, kernel, range, sharedMemory, syncThreads, threadIdx } from "warpsmith";
import { type Case, defineCase, input, output } from "./case.ts";
import { combined, integers } from "./numbers.ts";

type Any = Exclude<DType, "i64" | "u64" | "bool">;
const threads = 128,
  cells = 4;

/** Every thread takes part in one of a few cells. */
const global = (op: AtomicOp) =>
  kernel({ block: 64, grid: 2 }, function global(x: Tensor<Any, 1>, out: Tensor<Any, 1>) {
    const i = blockIdx.x * 64 + threadIdx.x;
    out.at(i % cells).atomic(op, x[i]!);
  });

const shared = (op: AtomicOp) =>
  kernel({ block: threads, grid: 1 }, function shared(x: Tensor<Any, 1>, out: Tensor<Any, 1>) {
    const i = threadIdx.x;
    const cell = sharedMemory.alloc(out.dtype as Any, [cells]);
    if (i < cells) cell[i] = out[i]!;
    syncThreads();
    cell.at(i % cells).atomic(op, x[i]!);
    syncThreads();
    if (i < cells) out[i] = cell[i]!;
  });

/** Each thread draws a number of its own. */
const tickets = kernel({ block: 64, grid: 4 }, function tickets(counter: Tensor<"u32", 1>, seen: Tensor<"i32", 1>) {
  const ticket = counter.at(0).atomic("add", 1, { scope: "gpu", order: "acq_rel" });
  seen[ticket] = 1;
  counter.at(1).atomic("add", 2, { pred: threadIdx.x % 2 === 0 });
});

const casLoop = kernel({ block: 32, grid: 4 }, function casLoop(cell: Tensor<"i32", 1>, turns: Static<number>) {
  for (const _ of range(turns)) {
    let seen = 0; // a guess: a plain load would race with the swaps of others
    let was = cell.at(0).compareAndSwap(seen, seen + 3);
    while (was !== seen) {
      seen = was;
      was = cell.at(0).compareAndSwap(seen, seen + 3);
    }
  }
});

/** Block 0 publishes, the others wait for it. */
const flags = kernel(
  { block: 32, grid: 8 },
  function flags(data: Tensor<"i32", 1>, flag: Tensor<"u32", 1>, out: Tensor<"i32", 2>) {
    const t = threadIdx.x;
    if (blockIdx.x === 0) {
      data[t] = t * 11;
      syncThreads();
      if (t === 0) flag.at(0).storeRelease(1);
    } else if (t === 0) {
      let ready = flag.at(0).loadAcquire();
      while (ready === 0) ready = flag.at(0).loadAcquire("gpu");
    }
    syncThreads();
    out[blockIdx.x]![t] = data.at(t).load({ cache: "cg" });
  },
);

const names = Object.keys(combined) as (keyof typeof combined)[];
const floats: readonly DType[] = ["f16", "bf16", "f32", "f64"];
const ints: readonly DType[] = ["i32", "u32", "i64", "u64"];

function atomicCase(dtype: DType, op: keyof typeof combined, place: "global" | "shared"): Case {
  const signed = dtype[0] !== "u";
  // Sums of 32 whole numbers up to 7 are exact in every float.
  const low = floats.includes(dtype) ? -3 : signed ? -100 : 1;
  const data = integers(threads, low, floats.includes(dtype) ? 4 : 1000, 7).map(BigInt);
  const initial = [5n, 3n, 77n, 12n];
  const sums = initial.map((first, c) => data.filter((_, i) => i % cells === c).reduce(combined[op], first));
  const as = (values: readonly bigint[]) => (dtype.endsWith("64") && dtype !== "f64" ? values : values.map(Number));
  return defineCase(`atomics/${place}-${dtype}-${op}`, (place === "global" ? global : shared)(op), () => ({
    args: [input(dtype, [threads], as(data)), output(dtype, [cells], as(sums), { initial: as(initial) })],
  }));
}

/** What `Math.min` and `Math.max` make of floats with all their edges: signs, both zeros, infinities, and in one cell a NaN. */
function extremeCase(dtype: "f32" | "f64", op: "min" | "max", place: "global" | "shared"): Case {
  const edges = [0, -0, 1.5, -1.5, Infinity, -Infinity, 1e-40, -1e-40];
  const sign = op === "max" ? -1 : 1;
  const value = (i: number): number => {
    if (i % cells === 0) return ((i * 37) % 101) - 50.25;
    if (i % cells === 1) return i < 64 ? -0 : 0;
    return i % cells === 2 ? sign * (((i * 11) % 29) + 0.5) : (edges[(i >> 2) % edges.length] ?? 0);
  };
  const data = Array.from({ length: threads }, (_, i) => value(i));
  data[39] = Number.NaN;
  const initial = [3.5, op === "max" ? -0 : 0, sign * 100, 1];
  const round = dtype === "f32" ? Math.fround : (x: number) => x;
  const wanted = initial.map((first, c) =>
    data
      .filter((_, i) => i % cells === c)
      .map(round)
      .reduce((a, b) => Math[op](a, b), first),
  );
  return defineCase(`atomics/${place}-${dtype}-${op}`, (place === "global" ? global : shared)(op), () => ({
    args: [input(dtype, [threads], data), output(dtype, [cells], wanted, { initial })],
  }));
}

const ones = (n: number): number[] => Array.from({ length: n }, () => 1);

export const atomicCases: readonly Case[] = [
  ...(["global", "shared"] as const).flatMap((place) => [
    ...floats.map((dtype) => atomicCase(dtype, "add", place)),
    ...(["f32", "f64"] as const).flatMap((dtype) => (["min", "max"] as const).map((op) => extremeCase(dtype, op, place))),
    ...ints.flatMap((dtype) => names.map((op) => atomicCase(dtype, op, place))),
  ]),
  ...[...ints, "f32" as const, "f64" as const].map((dtype) =>
    defineCase(`atomics/${dtype}-exch`, global("exch"), () => {
      const value = dtype === "i64" || dtype === "u64" ? 42n : 42;
      const all = (n: number) => Array.from({ length: n }, () => value);
      return { args: [input(dtype, [threads], all(threads)), output(dtype, [cells], all(cells))] };
    }),
  ),
  defineCase("atomics/tickets", tickets, () => ({
    args: [output("u32", [2], [256, 256], { initial: [0, 0] }), output("i32", [256], ones(256))],
  })),
  defineCase("atomics/casLoop", casLoop, () => ({ args: [output("i32", [1], [128 * 5 * 3], { initial: [0] }), 5] })),
  defineCase("atomics/flags", flags, () => {
    const data = Array.from({ length: 32 }, (_, t) => t * 11);
    return {
      args: [
        output("i32", [32], data),
        output("u32", [1], [1], { initial: [0] }),
        output("i32", [8, 32], Array.from({ length: 8 }, () => data).flat()),
      ],
    };
  }),
];
