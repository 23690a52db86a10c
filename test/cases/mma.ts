// Products of warps on tiles (mma.sync): every type, operands from shared and global memory, by rows and by columns, over warps in both directions.

import type { SharedView, Static, Swizzle, Tensor } from "warpsmith";
import { BlockedLayout, DotOperandLayout, f16, f32, kernel, MMALayout, range, sharedMemory, syncThreads, tile } from "warpsmith";
import { type Case, defineCase, input, output } from "./case.ts";
import { integers } from "./numbers.ts";
import { type Any, fill } from "./wgmma.ts";

export type Input = "f16" | "bf16" | "tf32" | "e4m3" | "e5m2" | "i8" | "u8" | "f64";
export type Sum = "f16" | "f32" | "i32" | "f64";
type Line = "row" | "col";

export interface Product {
  readonly warps: readonly [number, number];
  readonly memory: "shared" | "global";
  /** How A and B lie: by rows, or by columns. */
  readonly lines: readonly [Line, Line];
  readonly swizzle: Swizzle;
  /** K of each step of a loop on the GPU; 0: all at once. */
  readonly step: number;
}

const widths: Readonly<Record<Input, 1 | 2 | 4>> = { f16: 2, bf16: 2, tf32: 1, e4m3: 4, e5m2: 4, i8: 4, u8: 4, f64: 1 };

function turned(x: SharedView<Any, 2> | Tensor<Any, 2>, line: Line): SharedView<Any, 2> | Tensor<Any, 2> {
  "use kernel";
  return line === "row" ? x : x.transpose();
}

function stored(x: Tensor<Any, 2>, line: Line, swizzle: Swizzle, threads: number): SharedView<Any, 2> {
  "use kernel";
  const view = sharedMemory.alloc(x.dtype, x.shape, { swizzle });
  fill(view, x, threads);
  return turned(view, line) as SharedView<Any, 2>;
}

const product = kernel(
  { block: (_a, _b, _d, { warps }) => 32 * warps[0] * warps[1], grid: 1 },
  function product(
    a: Tensor<Any, 2>,
    b: Tensor<Any, 2>,
    d: Tensor<Any, 2>,
    { warps, memory, lines, swizzle, step }: Static<Product>,
    depth: Static<number>,
  ) {
    const parent = new MMALayout({ warps });
    const [M, N] = d.shape;
    const left = new DotOperandLayout({ parent, operand: "A", kWidth: widths[a.dtype as Input] });
    const right = new DotOperandLayout({ parent, operand: "B", kWidth: widths[b.dtype as Input] });
    let D = d.loadTile([0, 0], [M, N], parent); // zeros, of which several warps may have the same
    syncThreads();
    if (memory === "global") {
      const A = turned(a, lines[0]) as Tensor<Any, 2>;
      const B = turned(b, lines[1]) as Tensor<Any, 2>;
      D = tile.dot(A.loadTile([0, 0], [M, depth], left), B.loadTile([0, 0], [depth, N], right), D);
    } else {
      const A = stored(a, lines[0], swizzle, 32 * warps[0] * warps[1]);
      const B = stored(b, lines[1], swizzle, 32 * warps[0] * warps[1]);
      syncThreads();
      if (step === 0) D = tile.dot(A.load(left), B.load(right), D);
      else
        for (const k of range(0, depth, step))
          D = tile.dot(A.subview([0, k], [M, step]).load(left), B.subview([k, 0], [step, N]).load(right), D);
    }
    d.storeTile([0, 0], D);
  },
);

interface Sizes {
  readonly M: number;
  readonly N: number;
  readonly K: number;
}

const transposed = (x: readonly number[], rows: number): number[] => {
  const cols = x.length / rows;
  return x.map((_, i) => x[(i % rows) * cols + Math.floor(i / rows)] ?? 0);
};

export function productCase(
  dtype: Input,
  bType: Input,
  { M, N, K }: Sizes,
  { sum, ...given }: Partial<Product> & { readonly sum: Sum },
): Case {
  const how: Product = { warps: [2, 2], memory: "shared", lines: ["row", "col"], swizzle: "none", step: 0, ...given };
  const { warps, memory, lines, swizzle, step } = how;
  const name = `${dtype}-${bType}-${sum}-${M}x${N}x${K}-${warps.join("x")}-${memory}-${lines.join("-")}-${swizzle}-${step}`;
  return defineCase(`mma/${name}`, product, () => {
    const [a, b] = [integers(M * K, dtype === "u8" ? 0 : -3, 3, 1), integers(K * N, bType === "u8" ? 0 : -3, 3, 2)];
    const wanted = Array.from({ length: M * N }, (_, i) => {
      let all = 0;
      for (let k = 0; k < K; k++) all += (a[Math.floor(i / N) * K + k] ?? 0) * (b[k * N + (i % N)] ?? 0);
      return all;
    });
    const left = lines[0] === "row" ? input(dtype, [M, K], a) : input(dtype, [K, M], transposed(a, M));
    const right = lines[1] === "row" ? input(bType, [K, N], b) : input(bType, [N, K], transposed(b, K));
    return { args: [left, right, output(sum, [M, N], wanted, { initial: wanted.map(() => 0) }), how, K] };
  });
}

const small: Sizes = { M: 32, N: 32, K: 64 };
const kinds: readonly (readonly [Input, Input, Sum])[] = [
  ["f16", "f16", "f32"],
  ["f16", "f16", "f16"],
  ["bf16", "bf16", "f32"],
  ["tf32", "tf32", "f32"],
  ["e4m3", "e4m3", "f32"],
  ["e5m2", "e4m3", "f32"],
  ["i8", "i8", "i32"],
  ["u8", "i8", "i32"],
  ["f64", "f64", "f64"],
];
const everyType = kinds.flatMap(([a, b, sum]) => [
  productCase(a, b, small, { sum }),
  productCase(a, b, small, { sum, memory: "global", lines: ["row", "row"] }),
  productCase(a, b, small, { sum, lines: ["col", "row"] }),
  productCase(a, b, small, { sum, step: 32, warps: [1, 4] }),
]);

/** The smallest K of each type, and one warp. */
const depths: readonly (readonly [Input, Sum, number])[] = [
  ["f16", "f32", 8],
  ["bf16", "f32", 16],
  ["tf32", "f32", 4],
  ["i8", "i32", 16],
  ["e4m3", "f32", 32],
  ["f64", "f64", 4],
  ["f64", "f64", 8],
];
const smallest = depths.map(([dtype, sum, K]) => productCase(dtype, dtype, { M: 16, N: 8, K }, { sum, warps: [1, 1] }));

const swizzled = (["128B", "64B", "32B"] as const).flatMap((swizzle) =>
  (["row", "col"] as const).flatMap((a) =>
    (["row", "col"] as const).map((b) =>
      productCase("f16", "f16", { M: 64, N: 64, K: 64 }, { sum: "f32", swizzle, lines: [a, b], step: b === "row" ? 16 : 0 }),
    ),
  ),
);

/** Fewer rows than the warps have, so that several multiply the same. */
const repeated = [
  productCase("f16", "f16", { M: 16, N: 64, K: 32 }, { sum: "f32", warps: [4, 1] }),
  productCase("bf16", "bf16", { M: 64, N: 8, K: 32 }, { sum: "f32", warps: [1, 4], lines: ["col", "row"] }),
  productCase("i8", "u8", { M: 16, N: 8, K: 64 }, { sum: "i32", warps: [2, 2], swizzle: "64B" }),
];

const blocks = new BlockedLayout({ perThread: [1, 8], threads: [8, 4], warps: [4, 1] });

/** Operands that were computed, and what a softmax does with the sums: two products in a row, by way of another layout. */
const chained = kernel({ block: 128, grid: 1 }, function chained(x: Tensor<"f16", 2>, d: Tensor<"f32", 2>) {
  const parent = new MMALayout({ warps: [4, 1] });
  const left = new DotOperandLayout({ parent, operand: "A", kWidth: 2 });
  const right = new DotOperandLayout({ parent, operand: "B", kWidth: 2 });
  const t = x.loadTile([0, 0], [64, 64], blocks);
  const B = tile.convertLayout(t, right);
  const S = tile.dot(tile.convertLayout(f16(t + 1), left), B, tile.full([64, 64], 0, parent));
  const P = f16(S - tile.expand(tile.max(S, 1), 1));
  const all = tile.dot(tile.convertLayout(P, left), B, tile.full([64, 64], 1, parent));
  d.storeTile([0, 0], all * f32(2));
});

const chainedCase = defineCase("mma/two-in-a-row", chained, () => {
  const x = integers(64 * 64, 0, 1, 5);
  const times = (a: readonly number[], c: number): number[] =>
    a.map((_, i) => {
      let all = c;
      for (let k = 0; k < 64; k++) all += (a[Math.floor(i / 64) * 64 + k] ?? 0) * (x[k * 64 + (i % 64)] ?? 0);
      return all;
    });
  const S = times(
    x.map((v) => v + 1),
    0,
  );
  const P = S.map((v, i) => v - Math.max(...S.slice(Math.floor(i / 64) * 64, Math.floor(i / 64) * 64 + 64)));
  return {
    args: [
      input("f16", [64, 64], x),
      output(
        "f32",
        [64, 64],
        times(P, 1).map((v) => 2 * v),
      ),
    ],
  };
});

/** Tensors that end inside the tiles: what lies outside is 0, and is not stored. */
const edges = kernel({ block: 64, grid: 1 }, function edges(a: Tensor<Any, 2>, b: Tensor<Any, 2>, d: Tensor<Any, 2>) {
  const parent = new MMALayout({ warps: [2, 1] });
  const kWidth = widths[a.dtype as Input];
  const A = a.loadTile([0, 0], [32, 64], new DotOperandLayout({ parent, operand: "A", kWidth }));
  const B = b.transpose().loadTile([0, 0], [64, 32], new DotOperandLayout({ parent, operand: "B", kWidth }));
  d.storeTile([0, 0], tile.dot(A, B, d.loadTile([0, 0], [32, 32], parent)));
});

const edgeCase = (dtype: Input, sum: Sum): Case =>
  defineCase(`mma/edges-${dtype}`, edges, () => {
    const [M, N, K] = [20, 24, 44];
    const [a, b] = [integers(M * K, -3, 3, 1), integers(N * K, -3, 3, 2)];
    const wanted = Array.from({ length: M * N }, (_, i) => {
      let all = 5;
      for (let k = 0; k < K; k++) all += (a[Math.floor(i / N) * K + k] ?? 0) * (b[(i % N) * K + k] ?? 0);
      return all;
    });
    return {
      args: [input(dtype, [M, K], a), input(dtype, [N, K], b), output(sum, [M, N], wanted, { initial: wanted.map(() => 5) })],
    };
  });

export const mmaCases: readonly Case[] = [
  ...everyType,
  ...smallest,
  ...swizzled,
  ...repeated,
  chainedCase,
  edgeCase("i8", "i32"),
  edgeCase("f16", "f32"),
  edgeCase("e5m2", "f32"),
  edgeCase("tf32", "f32"),
];
