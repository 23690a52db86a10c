// wgmma in every type: the left operand from registers, operands of two types, and 8-bit floats whose sums go to another accumulator every so many steps.

import type { SharedView, Static, Tensor } from "warpsmith";
import {
  BlockedLayout,
  DotOperandLayout,
  e4m3,
  f32,
  fence,
  kernel,
  range,
  sharedMemory,
  syncThreads,
  tile,
  WGMMALayout,
  WGMMAMatrix,
} from "warpsmith";
import { type Case, defineCase, input, output } from "./case.ts";
import { integers } from "./numbers.ts";
import { type Any, fill, matmul, operands } from "./wgmma.ts";

type Input = "f16" | "bf16" | "tf32" | "e4m3" | "e5m2" | "i8" | "u8";
type Sum = "f32" | "f16" | "i32";
const widths: Readonly<Record<Input, 1 | 2 | 4>> = { f16: 2, bf16: 2, tf32: 1, e4m3: 4, e5m2: 4, i8: 4, u8: 4 };
const least = (dtype: Input): number => (dtype === "u8" ? 0 : -3);

/** How the left operand lies before it becomes one: as the product takes it, by rows, or as accumulators do. */
type Lies = "operand" | "rows" | "wgmma";
interface Registers {
  readonly sum: Sum;
  readonly lies: Lies;
  readonly groups: number;
}

const fromRegisters = kernel(
  { block: (_a, _b, _d, { groups }) => 128 * groups, grid: 1 },
  function fromRegisters(
    a: Tensor<Any, 2>,
    b: Tensor<Any, 2>,
    d: Tensor<Any, 2>,
    { sum, lies, groups }: Static<Registers>,
    shape: Static<readonly [number, number, number]>,
  ) {
    const [M, N, K] = shape;
    const bView = sharedMemory.alloc(b.dtype, [N, K], { swizzle: "128B" }) as SharedView<Any, 2>;
    fill(bView, b, 128 * groups);
    fence.proxyAsync();
    syncThreads();
    const parent = new WGMMALayout({ warpgroups: groups });
    const layouts = {
      operand: new DotOperandLayout({ parent, kWidth: widths[a.dtype as Input] }),
      rows: new BlockedLayout({ perThread: [1, 8], threads: [8, 4], warps: [4 * groups, 1] }),
      wgmma: parent,
    };
    const left = WGMMAMatrix.fromRegisters(a.loadTile([0, 0], [M, K], layouts[lies]));
    const right = WGMMAMatrix.descriptor(bView.transpose(), [K, N]);
    let D = WGMMAMatrix.accumulator(sum, [M, N], { warpgroups: groups });
    D = D.mma(left, right, { wait: 0 });
    D.store(d);
  },
);

function registersCase(
  dtype: Input,
  bType: Input,
  how: Registers,
  shape: readonly [number, number, number] = [64, 64, 128],
): Case {
  const [M, N, K] = shape;
  const { sum, lies, groups } = how;
  return defineCase(`wgmma-types/registers-${dtype}-${bType}-${sum}-${lies}-${groups}-k${K}`, fromRegisters, () => {
    const [a, b] = [integers(M * K, least(dtype), 3, 11), integers(K * N, least(bType), 3, 23)];
    const turned = b.map((_, i) => b[(i % K) * N + Math.floor(i / K)] ?? 0);
    const d = matmul({ M, N, K }, a, b);
    return { args: [input(dtype, [M, K], a), input(bType, [N, K], turned), output(sum, [M, N], d), how, shape] };
  });
}

const kinds: readonly (readonly [Input, Input, Sum])[] = [
  ["f16", "f16", "f32"],
  ["f16", "f16", "f16"],
  ["bf16", "bf16", "f32"],
  ["tf32", "tf32", "f32"],
  ["e4m3", "e4m3", "f32"],
  ["e4m3", "e4m3", "f16"],
  ["e5m2", "e5m2", "f32"],
  ["e5m2", "e5m2", "f16"],
  ["e4m3", "e5m2", "f32"],
  ["e5m2", "e4m3", "f16"],
  ["i8", "i8", "i32"],
  ["u8", "u8", "i32"],
  ["i8", "u8", "i32"],
  ["u8", "i8", "i32"],
];

/** Two types, both operands from shared memory. */
const mixed = kernel(
  { block: 128, grid: 1 },
  function mixed(a: Tensor<Any, 2>, b: Tensor<Any, 2>, d: Tensor<Any, 2>, sum: Static<Sum>) {
    const { A, B } = operands(a, b, { swizzle: "128B", aMajor: "k", bMajor: "k" });
    WGMMAMatrix.accumulator(sum, [64, 64]).mma(A, B, { wait: 0 }).store(d);
  },
);

function mixedCase(dtype: Input, bType: Input, sum: Sum): Case {
  return defineCase(`wgmma-types/shared-${dtype}-${bType}-${sum}`, mixed, () => {
    const [a, b] = [integers(64 * 128, least(dtype), 3, 11), integers(128 * 64, least(bType), 3, 23)];
    const d = matmul({ M: 64, N: 64, K: 128 }, a, b);
    return { args: [input(dtype, [64, 128], a), input(bType, [128, 64], b), output(sum, [64, 64], d), sum] };
  });
}

/** Four steps of 128 each; the sums of `every` steps go to f32 accumulators of their own. */
const promoted = kernel(
  { block: 128, grid: 1 },
  function promoted(a: Tensor<Any, 2>, b: Tensor<Any, 2>, d: Tensor<"f32", 2>, every: Static<number>) {
    const steps = a.shape[1] / 128;
    const aView = sharedMemory.alloc(a.dtype, [steps, 64, 128], { swizzle: "128B" });
    const bView = sharedMemory.alloc(b.dtype, [steps, 64, 128], { swizzle: "128B" });
    for (const s of range(steps)) {
      fill(aView.at(s) as SharedView<Any, 2>, a.subview([0, s * 128], [64, 128]) as Tensor<Any, 2>, 128);
      fill(bView.at(s) as SharedView<Any, 2>, b.subview([0, s * 128], [64, 128]) as Tensor<Any, 2>, 128);
    }
    fence.proxyAsync();
    syncThreads();
    const A = WGMMAMatrix.descriptor(aView, [64, 128]);
    const B = WGMMAMatrix.descriptor(bView.transpose(0, 2, 1), [128, 64]);
    let D = WGMMAMatrix.accumulator("f32", [64, 64]);
    let part = WGMMAMatrix.accumulator("f32", [64, 64]);
    for (const s of range(steps)) {
      part = part.mma(A.at(s), B.at(s), { accumulate: s % every !== 0, wait: 0 });
      if (s % every === every - 1) D = D.zip(part, (sum, v) => sum + v);
    }
    D.store(d);
  },
);

function promotedCase(dtype: "e4m3" | "e5m2", every: number): Case {
  return defineCase(`wgmma-types/promoted-${dtype}-every-${every}`, promoted, () => {
    const [M, N, K] = [64, 64, 512];
    const [a, b] = [integers(M * K, -3, 3, 11), integers(K * N, -3, 3, 23)];
    const turned = b.map((_, i) => b[(i % K) * N + Math.floor(i / K)] ?? 0);
    const d = matmul({ M, N, K }, a, b);
    return { args: [input(dtype, [M, K], a), input(dtype, [N, K], turned), output("f32", [M, N], d), every] };
  });
}

/** What a first product gives becomes the left operand of a second one, in 8 bits. */
const chained = kernel({ block: 128, grid: 1 }, function chained(x: Tensor<"e4m3", 2>, d: Tensor<"f32", 2>) {
  const view = sharedMemory.alloc("e4m3", [64, 64], { swizzle: "64B" });
  fill(view as SharedView<Any, 2>, x as Tensor<Any, 2>, 128);
  fence.proxyAsync();
  syncThreads();
  const A = WGMMAMatrix.descriptor(view, [64, 64]);
  const B = WGMMAMatrix.descriptor(view.transpose(), [64, 64]);
  const S = WGMMAMatrix.accumulator("f32", [64, 64]).mma(A, B, { wait: 0 });
  const P = e4m3(Math.min(Math.max(S.tile, -2), 2));
  const all = WGMMAMatrix.accumulator("f32", [64, 64]).mma(WGMMAMatrix.fromRegisters(P), B, { wait: 0 });
  d.storeTile([0, 0], tile.convertLayout(all.tile * f32(2), tile.info(all).layout));
});

const chainedCase = defineCase("wgmma-types/chained-e4m3", chained, () => {
  const x = integers(64 * 64, -1, 1, 5);
  const turned = x.map((_, i) => x[(i % 64) * 64 + Math.floor(i / 64)] ?? 0);
  const size = { M: 64, N: 64, K: 64 };
  const P = matmul(size, x, turned).map((v) => Math.min(Math.max(v, -2), 2));
  return {
    args: [
      input("e4m3", [64, 64], x),
      output(
        "f32",
        [64, 64],
        matmul(size, P, turned).map((v) => 2 * v + 0),
      ),
    ],
  };
});

export const wgmmaTypeCases: readonly Case[] = [
  ...kinds.map(([a, b, sum]) => registersCase(a, b, { sum, lies: "operand", groups: 1 })),
  ...kinds.map(([a, b, sum]) => registersCase(a, b, { sum, lies: "rows", groups: 1 }, [64, 32, 128])),
  ...(["f16", "tf32", "e4m3", "i8"] as const).map((dtype) =>
    registersCase(dtype, dtype, { sum: dtype === "i8" ? "i32" : "f32", lies: "wgmma", groups: 1 }, [128, 32, 128]),
  ),
  ...(["bf16", "tf32", "e5m2", "u8"] as const).map((dtype) =>
    registersCase(dtype, dtype, { sum: dtype === "u8" ? "i32" : "f32", lies: "operand", groups: 2 }, [128, 64, 128]),
  ),
  mixedCase("e4m3", "e5m2", "f32"),
  mixedCase("e5m2", "e4m3", "f16"),
  mixedCase("i8", "u8", "i32"),
  mixedCase("u8", "i8", "i32"),
  promotedCase("e4m3", 1),
  promotedCase("e4m3", 2),
  promotedCase("e5m2", 4),
  chainedCase,
];
