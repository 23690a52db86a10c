import type { Accumulator, DType, SharedView, Static, Swizzle, Tensor } from "warpsmith";
import { f32, kernel, sharedMemory, syncThreads, WGMMAMatrix } from "warpsmith";
import { type Case, defineCase, input, output } from "./case.ts";
import { integers, roundings } from "./numbers.ts";
import { type Any, fill, inputs, type Layouts, matmul, operands } from "./wgmma.ts";

const layouts: Layouts = { swizzle: "128B", aMajor: "k", bMajor: "k" };

/** [rows, cols] in shared memory, as wide panels or as columns that lie side by side. */
function lying(dtype: Any, rows: number, cols: number, swizzle: Swizzle, transposed: boolean): SharedView<Any, 2> {
  "use kernel";
  return transposed
    ? sharedMemory.alloc(dtype, [cols, rows], { swizzle, align: 1024 }).transpose()
    : sharedMemory.alloc(dtype, [rows, cols], { swizzle, align: 1024 });
}

interface How {
  readonly swizzle: Swizzle;
  readonly transposed: boolean;
  readonly groups: number;
}

/** D = A @ B and a matrix x that has come to shared memory, element by element. */
const throughShared = kernel(
  { block: (_a, _b, _x, _d, how) => how.groups * 128, grid: 1 },
  function throughShared(a: Tensor<"f16", 2>, b: Tensor<"f16", 2>, x: Tensor<Any, 2>, d: Tensor<"f32", 2>, how: Static<How>) {
    const { A, B } = operands(a as Tensor<Any, 2>, b as Tensor<Any, 2>, layouts, how.groups * 128);
    const view = lying(x.dtype as Any, x.shape[0], x.shape[1], how.swizzle, how.transposed);
    fill(view, x, how.groups * 128);
    syncThreads();
    const D = WGMMAMatrix.accumulator("f32", x.shape, { warpgroups: how.groups }).mma(A, B, { wait: 0 });
    const X = WGMMAMatrix.load(view, { warpgroups: how.groups });
    D.zip(X, (v, y, row, col) => v * 2 + f32(y) + (row === col ? 1000 : 0)).store(d);
  },
);

type Take = (D: Accumulator, x: Tensor<Any, 2>) => Accumulator;
const product = (take: Take) =>
  kernel(
    { block: 128, grid: 1 },
    function product(a: Tensor<"f16", 2>, b: Tensor<"f16", 2>, x: Tensor<Any, 2>, d: Tensor<"f32", 2>) {
      const { A, B } = operands(a as Tensor<Any, 2>, b as Tensor<Any, 2>, layouts);
      take(WGMMAMatrix.accumulator("f32", [64, 64]).mma(A, B, { wait: 0 }), x).store(d);
    },
  );

/** A panel of the product after the other, each with its columns of x, and back through the same shared memory. */
const panels = kernel(
  { block: 128, grid: 1 },
  function panels(a: Tensor<"f16", 2>, b: Tensor<"f16", 2>, x: Tensor<"f16", 2>, d: Tensor<"f16", 2>) {
    const { A, B } = operands(a as Tensor<Any, 2>, b as Tensor<Any, 2>, layouts);
    const panel = sharedMemory.alloc("f16", [64, 32], { swizzle: "64B" });
    const D = WGMMAMatrix.accumulator("f32", [64, 64]).mma(A, B, { wait: 0 });
    for (const c0 of [0, 32]) {
      fill(panel as SharedView<Any, 2>, x.subview([0, c0], [64, 32]) as Tensor<Any, 2>, 128);
      syncThreads();
      D.columns(c0, 32)
        .zip(WGMMAMatrix.load(panel).convert("f32"), (v, y) => Math.max(v + y, 0))
        .convert("f16")
        .store(panel);
      syncThreads();
      WGMMAMatrix.load(panel).store(d.subview([0, c0], [64, 32]));
      syncThreads();
    }
  },
);

interface Sizes {
  readonly M?: number;
  readonly N?: number;
}
interface Wanted extends Sizes, Partial<How> {
  readonly dtype: Any;
}

function sharedCase(name: string, { M = 64, N = 64, dtype, ...how }: Wanted): Case {
  return defineCase(`wgmma/load-${name}`, throughShared, () => {
    const { a, b } = inputs(M, N, 64, "f16");
    const x = integers(M * N, 0, 7, 5);
    const expected = matmul({ M, N, K: 64 }, a, b).map((v, i) => v * 2 + x[i]! + (Math.floor(i / N) === i % N ? 1000 : 0));
    const full: How = { swizzle: "128B", transposed: false, groups: 1, ...how };
    return {
      args: [input("f16", [M, 64], a), input("f16", [64, N], b), input(dtype, [M, N], x), output("f32", [M, N], expected), full],
    };
  });
}

/** `has(row, col)`: what of the product meets an element of x. */
function tensorCase(
  name: string,
  dtype: DType,
  shape: readonly [number, number],
  take: Take,
  has: (r: number, c: number) => number,
) {
  return defineCase(`wgmma/load-${name}`, product(take), () => {
    const { a, b } = inputs(64, 64, 64, "f16");
    const x = integers(shape[0] * shape[1], 0, 7, 5);
    const expected = matmul({ M: 64, N: 64, K: 64 }, a, b).map((v, i) => v + (x[has(i >> 6, i & 63)] ?? 0));
    return {
      args: [input("f16", [64, 64], a), input("f16", [64, 64], b), input(dtype, shape, x), output("f32", [64, 64], expected)],
    };
  });
}

const swizzles: readonly Swizzle[] = ["none", "32B", "64B", "128B"];

function all(): Case[] {
  const plain: Take = (D, x) => {
    "use kernel";
    return D.zip(WGMMAMatrix.load(x), (v, y) => v + f32(y));
  };
  return [
    ...(["f16", "bf16", "f32"] as const).flatMap((dtype) =>
      swizzles.map((swizzle) => sharedCase(`${dtype}-${swizzle}`, { dtype, swizzle })),
    ),
    ...(["f16", "f32", "u8"] as const).map((dtype) =>
      sharedCase(`${dtype}-transposed`, { dtype, swizzle: "none", transposed: true }),
    ),
    sharedCase("i8", { dtype: "i8", swizzle: "none" }),
    sharedCase("f16-n24", { dtype: "f16", N: 24, swizzle: "none" }),
    sharedCase("f16-n256", { dtype: "f16", N: 256 }),
    sharedCase("f16-m128", { dtype: "f16", M: 128 }),
    sharedCase("f16-groups2", { dtype: "f16", M: 128, groups: 2 }),
    sharedCase("f32-groups2", { dtype: "f32", M: 128, groups: 2, swizzle: "none" }),
    tensorCase("tensor-f16", "f16", [64, 64], plain, (r, c) => r * 64 + c),
    tensorCase("tensor-f32", "f32", [64, 64], plain, (r, c) => r * 64 + c),
    tensorCase(
      "tensor-edge",
      "f16",
      [80, 90],
      (D, x) => {
        "use kernel";
        return D.zip(WGMMAMatrix.load(x.subview([40, 50], [64, 64])).convert("f32"), (v, y) => v + y);
      },
      (r, c) => (r + 40 < 80 && c + 50 < 90 ? (r + 40) * 90 + c + 50 : -1),
    ),
    defineCase("wgmma/load-panels", panels, () => {
      const { a, b } = inputs(64, 64, 64, "f16");
      const x = integers(64 * 64, -20, 20, 5);
      const expected = matmul({ M: 64, N: 64, K: 64 }, a, b).map((v, i) => roundings.f16(Math.max(v + x[i]!, 0)));
      return {
        args: [
          input("f16", [64, 64], a),
          input("f16", [64, 64], b),
          input("f16", [64, 64], x),
          output("f16", [64, 64], expected),
        ],
      };
    }),
  ];
}

export const tileCases: readonly Case[] = all();
