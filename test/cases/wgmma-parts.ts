import type { SharedView, Static, Swizzle, Tensor } from "warpsmith";
import { fence, kernel, range, sharedMemory, syncThreads, WGMMAMatrix } from "warpsmith";
import { type Case, defineCase, input, output } from "./case.ts";
import { integers, roundings } from "./numbers.ts";
import { type Any, fill, inputs, type Layouts, matmul, operands } from "./wgmma.ts";

type Half = "f16" | "bf16";

/** Of a matrix along N, how many columns shared memory has room for, in panels, and where those begin that are multiplied. */
interface Room {
  readonly swizzle: Swizzle;
  readonly from: number;
}

/** Stages of A and B, which lies along N. Of B's panels a part is multiplied, and the last of them is only in part in it. */
const part = kernel(
  { block: 128, grid: 1 },
  function part(a: Tensor<Half, 3>, b: Tensor<Half, 3>, d: Tensor<"f32", 2>, { swizzle, from }: Static<Room>) {
    const [stages, M, K] = a.shape;
    const [rows, N] = d.shape;
    const aRoom = sharedMemory.alloc(a.dtype, [stages, M, K], { swizzle: "128B" });
    const bRoom = sharedMemory.alloc(b.dtype, [stages, K, b.shape[2]], { swizzle });
    for (const s of range(stages)) {
      fill(aRoom.at(s) as SharedView<Any, 2>, a.at(s) as Tensor<Any, 2>, 128);
      fill(bRoom.at(s) as SharedView<Any, 2>, b.at(s) as Tensor<Any, 2>, 128);
    }
    fence.proxyAsync();
    syncThreads();
    const A = WGMMAMatrix.descriptor(aRoom, [M, K]);
    const B = WGMMAMatrix.descriptor(bRoom.subview([0, 0, from], [stages, K, N]), [K, N], { major: "mn" });
    let D = WGMMAMatrix.accumulator("f32", [rows, N]);
    for (const s of range(stages)) D = D.mma(A.at(s), B.at(s), { accumulate: s > 0, wait: 0 });
    D.store(d);
  },
);

interface Wanted {
  readonly dtype: Half;
  readonly swizzle: Swizzle;
  readonly N: number;
  readonly M?: number;
  readonly K?: number;
  readonly from?: number;
  readonly room: number;
}

/** What is in the room and not in the part is no number: whoever multiplies it has none in the sums. */
function partCase({ dtype, swizzle, N, M = 64, K = 64, from = 0, room }: Wanted): Case {
  return defineCase(`wgmma-parts/${dtype}-${swizzle}-${M}x${N}x${K}-at${from}-of${room}`, part, () => {
    const stages = 2;
    const own = inputs(M, N, stages * K, dtype);
    const a = Array.from({ length: stages * M * K }, (_, i) => {
      const [s, m, k] = [Math.floor(i / (M * K)), Math.floor(i / K) % M, i % K];
      return own.a[m * stages * K + s * K + k]!;
    });
    const b = Array.from({ length: stages * K * room }, (_, i) => {
      const [row, col] = [Math.floor(i / room), (i % room) - from];
      return col >= 0 && col < N ? own.b[row * N + col]! : Number.NaN;
    });
    const expected = matmul({ M, N, K: stages * K }, own.a, own.b);
    return {
      args: [
        input(dtype, [stages, M, K], a),
        input(dtype, [stages, K, room], b),
        output("f32", [M, N], expected),
        { swizzle, from },
      ],
    };
  });
}

const layouts: Layouts = { swizzle: "128B", aMajor: "k", bMajor: "k" };

/** A product goes to a part of panels, and comes back from it beside a matrix that was put there element by element. */
const tile = kernel(
  { block: 128, grid: 1 },
  function tile(a: Tensor<"f16", 2>, b: Tensor<"f16", 2>, x: Tensor<"f16", 2>, d: Tensor<"f16", 2>, room: Static<number>) {
    const { A, B } = operands(a as Tensor<Any, 2>, b as Tensor<Any, 2>, layouts);
    const [rows, cols] = d.shape;
    const through = sharedMemory.alloc("f16", [rows, room], { swizzle: "128B" }).subview([0, 0], [rows, cols]);
    fill(through as SharedView<Any, 2>, x as Tensor<Any, 2>, 128);
    syncThreads();
    const X = WGMMAMatrix.load(through);
    const D = WGMMAMatrix.accumulator("f32", [rows, cols]).mma(A, B, { wait: 0 });
    syncThreads();
    D.convert("f16").store(through);
    syncThreads();
    WGMMAMatrix.load(through)
      .zip(X, (v, y) => v + y)
      .store(d);
  },
);

function tileCase(N: number, room: number): Case {
  return defineCase(`wgmma-parts/tile-${N}-of${room}`, tile, () => {
    const [M, K] = [64, 64];
    const { a, b } = inputs(M, N, K, "f16");
    const x = integers(M * N, -3, 3, 31);
    const product = matmul({ M, N, K }, a, b);
    const expected = product.map((v, i) => roundings.f16(v + x[i]!));
    return {
      args: [input("f16", [M, K], a), input("f16", [K, N], b), input("f16", [M, N], x), output("f16", [M, N], expected), room],
    };
  });
}

/** Parts of panels of 64, 32 and 16 columns: of one, two, three and four of them, by eights, sixteens and most of a panel. */
export const wgmmaPartCases: readonly Case[] = [
  ...(["f16", "bf16"] as const).flatMap((dtype) =>
    [72, 96, 144, 176, 208, 224, 248].map((N) =>
      partCase({ dtype, swizzle: "128B", N, room: Math.ceil(N / 64) * 64, K: N === 144 ? 128 : 64 }),
    ),
  ),
  partCase({ dtype: "f16", swizzle: "128B", N: 144, M: 128, room: 192 }),
  partCase({ dtype: "f16", swizzle: "128B", N: 96, from: 64, room: 256 }),
  partCase({ dtype: "f16", swizzle: "128B", N: 40, room: 64 }),
  ...[40, 144, 200].map((N) => partCase({ dtype: "f16", swizzle: "64B", N, room: 224 })),
  ...[8, 24, 136].map((N) => partCase({ dtype: "bf16", swizzle: "32B", N, room: 144 })),
  tileCase(144, 192),
  tileCase(72, 128),
];
