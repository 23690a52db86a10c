import { blockIdx, f32, i32, kernel, range, type Static, syncThreads, type Tensor, threadIdx } from "warpsmith";
import { type Case, defineCase, input, output } from "./case.ts";
import { integers } from "./numbers.ts";
import { plainModule } from "./plain.ts";
import { type Program, real, whole } from "./programs.ts";

const plain = plainModule<{ whole: typeof whole; real: typeof real }>(new URL("./programs.ts", import.meta.url).href);
const block = 32,
  threads = 64;
const data = integers(threads, -20, 40);

const programKernel = (run: Program) =>
  kernel({ block, grid: threads / block }, function program(x: Tensor<"f32", 1>, out: Tensor<"i32" | "f32", 1>, n: i32) {
    const i = blockIdx.x * block + threadIdx.x;
    out[i] = run(i, n, x[i]!);
  });

function programs(table: Readonly<Record<string, Program>>, reference: typeof table, type: "i32" | "f32"): Case[] {
  return Object.entries(table).map(([name, run]) =>
    defineCase(`control/${name}`, programKernel(run), () => {
      const n = 12;
      const exact = data.map((x, i) => reference[name]!(i, n, x));
      const expected = type === "f32" ? exact.map(Math.fround) : exact;
      return { args: [input("f32", [threads], data), output(type, [threads], expected), n] };
    }),
  );
}

const kernelReturn = kernel({ block: 64, grid: 1 }, function kernelReturn(x: Tensor<"f32", 1>, out: Tensor<"f32", 1>, n: i32) {
  const i = threadIdx.x;
  if (i >= n) return;
  for (const k of range(8)) {
    if (k === i % 11) return;
    out[i] = x[i]! + f32(k);
  }
});

/** A bound that is an absolute value, looked up again in each round (docs/hardware.md: a compiler gets it wrong as `abs.s32`). */
const absoluteBound = kernel({ block: 32, grid: 1 }, function absoluteBound(x: Tensor<"i32", 1>, out: Tensor<"i32", 2>, n: i32) {
  const t = threadIdx.x;
  let h = i32(1);
  let rounds = i32(0);
  while (rounds < Math.abs(x[n]! % 6)) {
    rounds++;
    h = Math.imul(h, 31);
  }
  let more = i32(0);
  do {
    more++;
    h = Math.imul(h, 7);
  } while (more < Math.abs(x[t]!));
  out[t]![0] = h;
  out[t]![1] = rounds;
  out[t]![2] = more;
});

/** Threads that left count as there. */
const returnBeforeBarrier = kernel({ block: 64, grid: 1 }, function returnBeforeBarrier(out: Tensor<"i32", 1>) {
  const i = threadIdx.x;
  if (i % 4 === 3) return;
  out[i] = i;
  syncThreads();
  const neighbour = i % 4 === 2 ? i - 2 : i + 1;
  out.at(64 + i).store(out[neighbour % 4 === 3 ? i : neighbour]!);
});

/** A loop that runs while tracing gives as many stores as it has iterations. */
const staticLoops = kernel({ block: 32, grid: 1 }, function staticLoops(out: Tensor<"i32", 2>, rows: Static<readonly number[]>) {
  rows.forEach((factor, row) => {
    out[row]![threadIdx.x] = threadIdx.x * factor;
  });
  for (let row = 0; row < rows.length; row++) out.at(rows.length + row, threadIdx.x).store(row + (rows[row] ?? 0));
});

function specials(): Case[] {
  const expected = data.map((x, i) => {
    if (i >= 40 || i % 11 === 0) return -5;
    return x + Math.min(8, i % 11) - 1;
  });
  const lanes = Array.from({ length: 64 }, (_, i) => i);
  const neighbourOf = (i: number): number => (i % 4 === 2 ? i - 2 : i + 1);
  const factors = [3, -2, 7];
  return [
    defineCase("control/kernelReturn", kernelReturn, () => ({
      args: [input("f32", [64], data), output("f32", [64], expected, { initial: data.map(() => -5) }), 40],
    })),
    defineCase("control/returnBeforeBarrier", returnBeforeBarrier, () => ({
      args: [
        output(
          "i32",
          [128],
          [...lanes.map((i) => (i % 4 === 3 ? -1 : i)), ...lanes.map((i) => (i % 4 === 3 ? -1 : neighbourOf(i)))],
          {
            initial: Array.from({ length: 128 }, () => -1),
          },
        ),
      ],
    })),
    ...[3, 8].map((n) =>
      defineCase(`control/absoluteBound${n}`, absoluteBound, () => {
        const x = Array.from({ length: 32 }, (_, i) => (i % 2 === 0 ? i - 16 : 9 - i));
        const rounds = Math.abs(x[n]! % 6);
        const power = (base: number, times: number): number =>
          Array.from({ length: times }).reduce((product: number) => Math.imul(product, base), 1);
        const rows = x.map((bound) => {
          const more = Math.max(1, Math.abs(bound));
          return [Math.imul(power(31, rounds), power(7, more)), rounds, more];
        });
        return { args: [input("i32", [32], x), output("i32", [32, 3], rows.flat()), n] };
      }),
    ),
    defineCase("control/staticLoops", staticLoops, () => ({
      args: [
        output(
          "i32",
          [6, 32],
          [
            ...factors.flatMap((f) => lanes.slice(0, 32).map((i) => i * f + 0)),
            ...factors.flatMap((f, row) => lanes.slice(0, 32).map(() => row + f)),
          ],
        ),
        factors,
      ],
    })),
  ];
}

export const controlCases: readonly Case[] = [
  ...programs(whole, plain.whole, "i32"),
  ...programs(real, plain.real, "f32"),
  ...specials(),
];
