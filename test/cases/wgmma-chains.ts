import type { Accumulator, SharedView, Tensor } from "warpsmith";
import {
  bool,
  fence,
  kernel,
  namedBarrier,
  range,
  sharedMemory,
  syncThreads,
  threadIdx,
  WGMMAMatrix,
  warpgroup,
  wgmma,
} from "warpsmith";
import { type Case, defineCase, input, output } from "./case.ts";
import { integers, roundings } from "./numbers.ts";
import { type Any, fill, inputs, type Layouts, matmul, operands } from "./wgmma.ts";

const layouts: Layouts = { swizzle: "128B", aMajor: "k", bMajor: "mn" };
const exact = { M: 64, N: 64, K: 64 };

type Chain = (D: Accumulator, A: ReturnType<typeof operands>["A"], B: ReturnType<typeof operands>["B"]) => Accumulator;
const chainKernel = (chain: Chain) =>
  kernel({ block: 128, grid: 1 }, function chained(a: Tensor<"f16", 2>, b: Tensor<"f16", 2>, d: Tensor<"f32", 2>) {
    const { A, B } = operands(a as Tensor<Any, 2>, b as Tensor<Any, 2>, layouts);
    const D = chain(WGMMAMatrix.accumulator("f32", [64, 64]), A, B);
    wgmma.wait(0);
    D.store(d);
  });

/** Several products, and how much of A @ B each leaves. */
const chains: Readonly<Record<string, readonly [times: number, Chain]>> = {
  twice: [
    2,
    (D, A, B) => {
      "use kernel";
      return D.mma(A, B).mma(A, B);
    },
  ],
  noAccumulate: [
    1,
    (D, A, B) => {
      "use kernel";
      const first = D.mma(A, B, { wait: 0 });
      return first.mma(A, B, { accumulate: false });
    },
  ],
  stagedAccumulate: [
    3,
    (D, A, B) => {
      "use kernel";
      let acc = D.mma(A, B, { wait: 0 }).scale(100);
      for (const k of range(3)) acc = acc.mma(A, B, { accumulate: k > 0, wait: 0 });
      return acc;
    },
  ],
  tilesFromNothing: [
    3,
    (D, A, B) => {
      "use kernel";
      let last = D;
      for (const _ of range(2)) {
        let acc = WGMMAMatrix.accumulator("f32", [64, 64]);
        for (const k of range(3)) acc = acc.mma(A, B, { accumulate: k > 0, wait: 0 });
        last = acc;
      }
      return last;
    },
  ],
  fromNothingByFlag: [
    4,
    (D, A, B) => {
      "use kernel";
      let acc = D,
        begun = bool(false);
      for (const _ of range(4)) {
        acc = acc.mma(A, B, { accumulate: begun, wait: 0 });
        begun = bool(true);
      }
      return acc;
    },
  ],
  fromNothingNested: [
    6,
    (D, A, B) => {
      "use kernel";
      let acc = D;
      for (const i of range(4, 7)) for (const k of range(2)) acc = acc.mma(A, B, { accumulate: i > 4 || k > 0, wait: 0 });
      return acc;
    },
  ],
  overwrittenInTheSecondTurn: [
    2,
    (D, A, B) => {
      "use kernel";
      let acc = D;
      for (const k of range(3)) acc = acc.mma(A, B, { accumulate: k !== 1, wait: 0 });
      return acc;
    },
  ],
  negateA: [
    -1,
    (D, A, B) => {
      "use kernel";
      return D.mma(A, B, { negate: "A" });
    },
  ],
  negateB: [
    1,
    (D, A, B) => {
      "use kernel";
      return D.mma(A, B).mma(A, B).mma(A, B, { negate: "B" });
    },
  ],
  loop: [
    7,
    (D, A, B) => {
      "use kernel";
      let acc = D;
      for (const _ of range(7)) {
        acc = acc.mma(A, B);
        wgmma.wait(1);
      }
      return acc;
    },
  ],
  branch: [
    6,
    (D, A, B) => {
      "use kernel";
      let acc = D;
      const parity = bool(false);
      let odd = parity;
      for (const k of range(6)) {
        if (k % 3 === 1) acc = acc.mma(A, B, { wait: 0 });
        else if (odd) acc = acc.mma(A, B, { wait: 0 }).mma(A, B, { wait: 0 });
        odd = !odd;
      }
      return acc
        .mma(A, B, { wait: 0 })
        .mma(A, B, { negate: "A", wait: 0 })
        .mma(A, B, { wait: 0, accumulate: true })
        .mma(A, B, { wait: 0, negate: "B" });
    },
  ],
  twoTiles: [
    4,
    (D, A, B) => {
      "use kernel";
      let other = WGMMAMatrix.accumulator("f32", [64, 64]);
      let acc = D;
      for (const _ of range(4)) {
        acc = acc.mma(A, B);
        other = other.mma(A, B, { negate: "A" });
        wgmma.wait(2);
      }
      return acc;
    },
  ],
};

/** P = A @ B from registers becomes the left side of P @ B. */
const fromRegisters = kernel(
  { block: 128, grid: 1 },
  function fromRegisters(a: Tensor<"f16", 2>, b: Tensor<"f16", 2>, d: Tensor<"f32", 2>) {
    const { A, B } = operands(a as Tensor<Any, 2>, b as Tensor<Any, 2>, layouts);
    const P = WGMMAMatrix.accumulator("f32", [64, 64]).mma(A, B, { wait: 0 }).convert("f16");
    WGMMAMatrix.accumulator("f32", [64, 64]).mma(WGMMAMatrix.fromRegisters(P), B, { wait: 0 }).store(d);
  },
);

/** One operand of two stages, chosen while running. */
const staged = kernel({ block: 128, grid: 1 }, function staged(a: Tensor<"f16", 3>, b: Tensor<"f16", 2>, d: Tensor<"f32", 2>) {
  const tiles = sharedMemory.alloc("f16", [2, 64, 64], { swizzle: "128B" });
  const right = sharedMemory.alloc("f16", [64, 64], { swizzle: "128B" });
  for (const s of range(2)) fill(tiles.at(s) as SharedView<Any, 2>, a.at(s) as Tensor<Any, 2>, 128);
  fill(right as SharedView<Any, 2>, b as Tensor<Any, 2>, 128);
  fence.proxyAsync();
  syncThreads();
  const A = WGMMAMatrix.descriptor(tiles, [64, 64]),
    B = WGMMAMatrix.descriptor(right, [64, 64]);
  let D = WGMMAMatrix.accumulator("f32", [64, 64]);
  for (const k of range(5)) {
    D = D.mma(A.at(k % 2), B);
    wgmma.wait(0);
  }
  D.store(d);
});

/** Partitions of a block: one fills, two multiply and say who they are. */
const specialized = kernel(
  { block: 384, grid: 1 },
  function specialized(a: Tensor<"f16", 2>, b: Tensor<"f16", 2>, d: Tensor<"f32", 2>, who: Tensor<"i32", 1>) {
    const left = sharedMemory.alloc("f16", [2, 64, 64], { swizzle: "128B" });
    const right = sharedMemory.alloc("f16", [64, 64], { swizzle: "128B" });
    const t = threadIdx.x;
    const filled = namedBarrier(1, 384);
    warpgroup.specialize({
      producer: {
        registers: 40,
        run: () => {
          for (const s of range(2))
            fill(left.at(s) as SharedView<Any, 2>, a.subview([s * 64, 0], [64, 64]) as Tensor<Any, 2>, 128);
          fill(right as SharedView<Any, 2>, b as Tensor<Any, 2>, 128);
          fence.proxyAsync();
          filled.arrive();
          who[t] = -1;
        },
      },
      consumer: {
        warpgroups: 2,
        registers: 208,
        run: (wg) => {
          who[t] = wg * 1000 + warpgroup.index * 100 + (warpgroup.thread % 10);
          filled.sync();
          const A = WGMMAMatrix.descriptor(left, [64, 64]),
            B = WGMMAMatrix.descriptor(right, [64, 64]);
          const D = WGMMAMatrix.accumulator("f32", [64, 64]).mma(A.at(wg), B, { wait: 0 });
          D.store(d.subview([wg * 64, 0], [64, 64]));
          warpgroup.sync();
          if (warpgroup.elect()) who.at(384 + wg).atomic("add", 1);
        },
      },
    });
  },
);

/** What thread `t` says of itself. */
function whoIs(t: number): number {
  const group = Math.floor(t / 128);
  return group === 0 ? -1 : (group - 1) * 1000 + group * 100 + ((t % 128) % 10);
}

function all(): Case[] {
  const { a, b } = inputs(64, 64, 64, "f16");
  const d = matmul(exact, a, b);
  const matrices = [input("f16", [64, 64], a), input("f16", [64, 64], b)] as const;
  const shape = [64, 64];
  const a2 = integers(2 * 64 * 64, -3, 3, 31);
  const halves = [a2.slice(0, 4096), a2.slice(4096)].map((half) => matmul(exact, half, b));
  return [
    ...Object.entries(chains).map(([name, [times, chain]]) =>
      defineCase(`wgmma/chain-${name}`, chainKernel(chain), () => ({
        args: [
          ...matrices,
          output(
            "f32",
            shape,
            d.map((v) => v * times + 0),
          ),
        ],
      })),
    ),
    defineCase("wgmma/fromRegisters", fromRegisters, () => {
      const p = d.map(roundings.f16);
      return { args: [...matrices, output("f32", shape, matmul(exact, p, b))] };
    }),
    defineCase("wgmma/stages", staged, () => ({
      args: [
        input("f16", [2, 64, 64], a2),
        matrices[1],
        output(
          "f32",
          shape,
          d.map((_, i) => 3 * halves[0]![i]! + 2 * halves[1]![i]! + 0),
        ),
      ],
    })),
    defineCase("warpgroup/specialize", specialized, () => ({
      args: [
        input("f16", [128, 64], a2),
        matrices[1],
        output("f32", [128, 64], halves.flat()),
        output("i32", [386], [...Array.from({ length: 384 }, (_, t) => whoIs(t)), -6, -6], {
          initial: Array.from({ length: 386 }, () => -7),
        }),
      ],
    })),
  ];
}

export const chainCases: readonly Case[] = all();
