// Sparse products of wgmma: of every chunk of four elements of A along K two are stored, of tf32 one of two.

import type { SharedView, Static, Swizzle, Tensor } from "warpsmith";
import { fence, kernel, range, sharedMemory, syncThreads, WGMMALayout, WGMMAMatrix, wgmma } from "warpsmith";
import { type Case, defineCase, input, output } from "./case.ts";
import { integers } from "./numbers.ts";
import { type Any, fill, matmul } from "./wgmma.ts";

type Input = "f16" | "bf16" | "tf32" | "e4m3" | "e5m2" | "i8" | "u8";
type Sum = "f32" | "f16" | "i32";
type Major = "k" | "mn";
interface Sparse {
  readonly sum: Sum;
  readonly groups: number;
  readonly majors: readonly [a: Major, b: Major];
  readonly swizzle: Swizzle;
  /** Where metadata are loaded from. */
  readonly from: "global" | "shared";
  /** What is stored of A comes from registers. */
  readonly registers?: boolean;
}

function matrix(x: Tensor<Any, 2>, major: Major, swizzle: Swizzle, threads: number): SharedView<Any, 2> {
  "use kernel";
  const [rows, cols] = x.shape;
  const view = (
    major === "k"
      ? sharedMemory.alloc(x.dtype, [rows, cols], { swizzle })
      : sharedMemory.alloc(x.dtype, [cols, rows], { swizzle }).transpose()
  ) as SharedView<Any, 2>;
  fill(view, x, threads);
  return view;
}

const product = kernel(
  { block: (_a, _b, _m, _d, { groups }) => 128 * groups, grid: 1 },
  function product(
    a: Tensor<Any, 2>,
    b: Tensor<Any, 2>,
    metadata: Tensor<"u16", 2>,
    d: Tensor<Any, 2>,
    { sum, groups, majors, swizzle, from, registers }: Static<Sparse>,
  ) {
    const view = matrix(a, majors[0], "128B", 128 * groups);
    const right = matrix(b, majors[1], swizzle, 128 * groups);
    const words = from === "shared" ? sharedMemory.alloc("u16", metadata.shape) : metadata;
    if (from === "shared") fill(words as unknown as SharedView<Any, 2>, metadata as unknown as Tensor<Any, 2>, 128 * groups);
    fence.proxyAsync();
    syncThreads();
    const stored = registers ? a.loadTile([0, 0], a.shape, new WGMMALayout({ warpgroups: groups })) : view;
    const A = WGMMAMatrix.sparse(stored, words, { warpgroups: groups });
    const [N, K] = b.shape;
    const B = WGMMAMatrix.descriptor(right.transpose(), [K, N]);
    let D = WGMMAMatrix.accumulator(sum, d.shape, { warpgroups: groups });
    D = D.mma(A, B, { wait: 0 });
    D = D.mma(A, B, { wait: 0, negate: sum === "i32" ? undefined : "A" } as never);
    D = D.mma(A, B, { wait: 0 });
    D.store(d);
  },
);

/** Stages of A and their metadata, one after the other; the operand of the next one is made while this one is multiplied. */
const staged = kernel(
  { block: 128, grid: 1 },
  function staged(a: Tensor<Any, 3>, b: Tensor<Any, 2>, metadata: Tensor<"u16", 2>, d: Tensor<"f32", 2>) {
    const [stages, rows, cols] = a.shape;
    const stored = sharedMemory.alloc("bf16", [stages, rows, cols], { swizzle: "64B" });
    const whole = sharedMemory.alloc("bf16", b.shape, { swizzle: "128B" });
    for (const s of range(stages)) fill(stored.at(s) as SharedView<Any, 2>, a.at(s) as Tensor<Any, 2>, 128);
    fill(whole as SharedView<Any, 2>, b, 128);
    fence.proxyAsync();
    syncThreads();
    const depth = cols / 8;
    let A = WGMMAMatrix.sparse(stored.at(0), metadata.subview([0, 0], [rows, depth]));
    let D = WGMMAMatrix.accumulator("f32", [rows, b.shape[0]]);
    for (const s of range(stages)) {
      const B = WGMMAMatrix.descriptor(whole.subview([0, s * 2 * cols], [b.shape[0], 2 * cols]).transpose(), [
        2 * cols,
        b.shape[0],
      ]);
      D = D.mma(A, B);
      const next = Math.min(s + 1, stages - 1);
      A = WGMMAMatrix.sparse(stored.at(next), metadata.subview([0, next * depth], [rows, depth]));
      wgmma.wait(0);
    }
    D.store(d);
  },
);

const stagedCase = defineCase("wgmma-sparse/stages", staged, () => {
  const [M, N, K, stages] = [64, 32, 256, 4];
  const a = integers((M * K) / 2, -3, 3, 11);
  const b = integers(K * N, -3, 3, 23);
  const { whole, metadata } = sparseMatrix(M, K, false, a);
  const turned = b.map((_, i) => b[(i % K) * N + Math.floor(i / K)] ?? 0);
  const each = K / 2 / stages;
  const parts = a.map((_, i) => a[(Math.floor(i / each) % M) * (K / 2) + Math.floor(i / (each * M)) * each + (i % each)] ?? 0);
  return {
    args: [
      input("bf16", [stages, M, each], parts),
      input("bf16", [N, K], turned),
      input("u16", [M, K / 16], metadata),
      output("f32", [M, N], matmul({ M, N, K }, whole, b)),
    ],
  };
});

/** Numbers of a pseudo-random sequence below `n`. */
function sequence(n: number): () => number {
  const list = integers(4096, 0, n - 1, 77);
  let at = 0;
  return () => list[at++ % list.length] ?? 0;
}

/** What is stored of a sparse matrix, where its elements stand, and the whole of it. */
function sparseMatrix(M: number, K: number, tf32: boolean, values: readonly number[]) {
  const chunk = tf32 ? 2 : 4;
  const next = sequence(tf32 ? 2 : 6);
  const places = [
    [0, 1],
    [0, 2],
    [0, 3],
    [1, 2],
    [1, 3],
    [2, 3],
  ] as const;
  const whole = new Array<number>(M * K).fill(0);
  const metadata = new Array<number>((M * K) / chunk / 4).fill(0);
  for (let c = 0; c < (M * K) / chunk; c++) {
    const pick = next();
    const [first, second] = places[pick] ?? [0, 1];
    const bits = tf32 ? (pick === 0 ? 0b0100 : 0b1110) : first | (second << 2);
    metadata[c >> 2]! |= bits << (4 * (c & 3));
    if (tf32) whole[2 * c + pick] = values[c] ?? 0;
    else {
      whole[4 * c + first] = values[2 * c] ?? 0;
      whole[4 * c + second] = values[2 * c + 1] ?? 0;
    }
  }
  return { whole, metadata };
}

function sparseCase(
  dtype: Input,
  bType: Input,
  sum: Sum,
  given: Partial<Sparse> = {},
  shape: readonly [number, number, number] = [64, 64, 256],
): Case {
  const how: Sparse = { sum, groups: 1, majors: ["k", "k"], swizzle: "128B", from: "global", ...given };
  const [M, N, K] = shape;
  const name = `${dtype}-${bType}-${sum}-${shape.join("x")}-${how.majors.join("-")}-${how.swizzle}-${how.from}-${how.groups}${how.registers ? "-registers" : ""}`;
  return defineCase(`wgmma-sparse/${name}`, product, () => {
    const a = integers((M * K) / 2, dtype === "u8" ? 0 : -3, 3, 11);
    const b = integers(K * N, bType === "u8" ? 0 : -3, 3, 23);
    const { whole, metadata } = sparseMatrix(M, K, dtype === "tf32", a);
    const turned = b.map((_, i) => b[(i % K) * N + Math.floor(i / K)] ?? 0);
    const times = sum === "i32" ? 3 : 1;
    const wanted = matmul({ M, N, K }, whole, b).map((v) => times * v + 0);
    return {
      args: [
        input(dtype, [M, K / 2], a),
        input(bType, [N, K], turned),
        input("u16", [M, metadata.length / M], metadata),
        output(sum, [M, N], wanted),
        how,
      ],
    };
  });
}

const kinds: readonly (readonly [Input, Input, Sum])[] = [
  ["f16", "f16", "f32"],
  ["f16", "f16", "f16"],
  ["bf16", "bf16", "f32"],
  ["tf32", "tf32", "f32"],
  ["e4m3", "e4m3", "f32"],
  ["e5m2", "e4m3", "f16"],
  ["i8", "i8", "i32"],
  ["u8", "i8", "i32"],
];

export const wgmmaSparseCases: readonly Case[] = [
  ...kinds.map(([a, b, sum]) => sparseCase(a, b, sum)),
  sparseCase("f16", "f16", "f32", { from: "shared" }),
  sparseCase("f16", "f16", "f32", { majors: ["mn", "mn"] }, [64, 64, 128]),
  sparseCase("bf16", "bf16", "f32", { majors: ["k", "mn"] }, [64, 128, 128]),
  sparseCase("f16", "f16", "f32", { swizzle: "64B", groups: 2 }, [128, 64, 128]),
  sparseCase("e4m3", "e4m3", "f32", { groups: 2, from: "shared" }, [256, 32, 256]),
  sparseCase("tf32", "tf32", "f32", { swizzle: "64B" }, [128, 40, 64]),
  sparseCase("i8", "u8", "i32", { swizzle: "64B" }, [128, 32, 256]),
  ...kinds.map(([a, b, sum]) => sparseCase(a, b, sum, { registers: true })),
  sparseCase("f16", "f16", "f32", { registers: true, majors: ["k", "mn"], from: "shared" }, [64, 128, 128]),
  sparseCase("bf16", "bf16", "f32", { registers: true, swizzle: "64B", groups: 2 }, [256, 64, 128]),
  sparseCase("e4m3", "e4m3", "f32", { registers: true, groups: 2 }, [128, 32, 256]),
  stagedCase,
];
