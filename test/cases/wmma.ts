// Matrices of a warp: every product that wmma has, from shared and from global memory, in rows and columns, and what is done with the sums element by element.

import type { SharedView, Static, Tensor, WMMAAccumulatorType, WMMAShape } from "warpsmith";
import { kernel, PaddedSharedLayout, range, sharedMemory, syncThreads, WMMAMatrix, warp } from "warpsmith";
import { type Case, defineCase, input, output } from "./case.ts";
import { integers } from "./numbers.ts";
import { type Any, fill } from "./wgmma.ts";

type Line = "row" | "col";
/** "padded": shared memory whose rows are 16 bytes longer. */
type Memory = "shared" | "padded" | "global";
interface Product {
  readonly shape: WMMAShape;
  readonly sum: WMMAAccumulatorType;
  readonly memory: Memory;
  /** How A, B and D lie. */
  readonly lines: readonly [a: Line, b: Line, d: Line];
}

const elementBytes: Readonly<Partial<Record<Any, number>>> = { i8: 1, u8: 1, tf32: 4, f64: 8 };

/** The matrix as the product takes it, where that is transposed. */
function turned(x: SharedView<Any, 2> | Tensor<Any, 2>, line: Line): SharedView<Any, 2> | Tensor<Any, 2> {
  "use kernel";
  return line === "row" ? x : x.transpose();
}

function placed(x: Tensor<Any, 2>, memory: Memory, line: Line): SharedView<Any, 2> | Tensor<Any, 2> {
  "use kernel";
  if (memory === "global") return turned(x, line);
  const by = 16 / (elementBytes[x.dtype] ?? 2);
  const layout = new PaddedSharedLayout({ every: x.shape[1], by });
  const view = sharedMemory.alloc(x.dtype, x.shape, memory === "padded" ? { layout } : {});
  fill(view, x, 128);
  return turned(view, line);
}

/** D = A @ B by four warps, a tile after the other. */
const product = kernel(
  { block: 128, grid: 1 },
  function product(
    a: Tensor<Any, 2>,
    b: Tensor<Any, 2>,
    d: Tensor<Any, 2>,
    { shape, sum, memory, lines }: Static<Product>,
    size: Static<number>,
  ) {
    const [m, n, k] = shape;
    const A = placed(a, memory, lines[0]);
    const B = placed(b, memory, lines[1]);
    syncThreads();
    const across = size / n;
    for (const t of range(warp.index, across * (size / m), 4)) {
      const [row, col] = [Math.trunc(t / across) * m, (t % across) * n];
      let D = WMMAMatrix.accumulator(sum, shape);
      for (const at of range(0, size, k)) {
        const left = WMMAMatrix.load("a", A.subview([row, at], [m, k]), { shape });
        const right = WMMAMatrix.load("b", B.subview([at, col], [k, n]), { shape });
        D = D.mma(left, right);
      }
      D.store(turned(d, lines[2]).subview([row, col], [m, n]));
    }
  },
);

const transposed = (x: readonly number[], size: number): number[] =>
  x.map((_, i) => x[(i % size) * size + Math.floor(i / size)] ?? 0);
const multiplied = (a: readonly number[], b: readonly number[], size: number): number[] =>
  a.map((_, i) => {
    const [row, col] = [Math.floor(i / size), i % size];
    let sum = 0;
    for (let k = 0; k < size; k++) sum += (a[row * size + k] ?? 0) * (b[k * size + col] ?? 0);
    return sum;
  });

function productCase(dtype: Any, how: Product): Case {
  const { shape, sum, memory, lines } = how;
  const size = 64;
  return defineCase(`wmma/${shape.join("x")}-${dtype}-${sum}-${memory}-${lines.join("-")}`, product, () => {
    const least = dtype === "u8" ? 0 : -3;
    const [a, b] = [integers(size * size, least, 3, 1), integers(size * size, least, 3, 2)];
    const as = (x: number[], line: Line): number[] => (line === "row" ? x : transposed(x, size));
    const wanted = as(multiplied(a, b, size), lines[2]);
    return {
      args: [
        input(dtype, [size, size], as(a, lines[0])),
        input(dtype, [size, size], as(b, lines[1])),
        output(sum, [size, size], wanted),
        how,
        size,
      ],
    };
  });
}

const halves: readonly WMMAShape[] = [
  [16, 16, 16],
  [32, 8, 16],
  [8, 32, 16],
];
const kinds: readonly (readonly [Any, WMMAAccumulatorType, readonly WMMAShape[]])[] = [
  ["f16", "f32", halves],
  ["f16", "f16", halves],
  ["bf16", "f32", halves],
  ["i8", "i32", halves],
  ["u8", "i32", halves],
  ["tf32", "f32", [[16, 16, 8]]],
  ["f64", "f64", [[8, 8, 4]]],
];
const combinations = kinds.flatMap(([dtype, sum, shapes]) => shapes.map((shape) => ({ dtype, sum, shape })));

const everyProduct = combinations.flatMap(({ dtype, sum, shape }) =>
  (["shared", "padded", "global"] as const).map((memory) =>
    productCase(dtype, { shape, sum, memory, lines: ["row", "col", "row"] }),
  ),
);
const lines = ["row", "col"] as const;
const otherLines = lines
  .flatMap((a) => lines.flatMap((b) => lines.map((d) => [a, b, d] as const)))
  .filter((each) => each.join() !== "row,col,row");
const everyLine = otherLines.flatMap((each) =>
  (["f16", "tf32", "i8"] as const).map((dtype) =>
    productCase(dtype, {
      shape: dtype === "tf32" ? [16, 16, 8] : [16, 16, 16],
      sum: dtype === "i8" ? "i32" : "f32",
      memory: each[2] === "row" ? "shared" : "global",
      lines: each,
    }),
  ),
);

interface Update {
  readonly sum: "f16" | "f32" | "i32" | "f64";
  readonly shape: WMMAShape;
}

/** D = alpha A @ B + beta C, where the tile of a warp is worth it; other ones are C. */
const updates = kernel(
  { block: 128, grid: 1 },
  function updates(
    a: Tensor<Any, 2>,
    b: Tensor<Any, 2>,
    c: Tensor<Any, 2>,
    d: Tensor<Any, 2>,
    { sum, shape }: Static<Update>,
    scale: Static<readonly [number, number]>,
  ) {
    const [m, n, k] = shape;
    const [alpha, beta] = scale;
    const steps = a.shape[1] / k;
    const C = WMMAMatrix.load("c", c.subview([0, warp.index * n], [m, n]), { shape });
    let D = WMMAMatrix.accumulator(sum, shape, 1);
    for (const s of range(steps)) {
      const left = WMMAMatrix.load("a", a.subview([0, s * k], [m, k]), { shape });
      const right = WMMAMatrix.load("b", b.subview([s * k, warp.index * n], [k, n]), { shape });
      D = s > 0 ? D.mma(left, right) : WMMAMatrix.accumulator(sum, shape).mma(left, right);
    }
    if (warp.index === 3) D = C;
    else D = D.zip(C, (v, x) => alpha * v + beta * x).map((v) => (v > 4 ? v - 1 : v));
    D.store(d.subview([0, warp.index * n], [m, n]));
  },
);

function updateCase(dtype: Any, sum: Update["sum"], shape: WMMAShape): Case {
  const [m, n, k] = shape;
  return defineCase(`wmma/update-${dtype}-${sum}-${shape.join("x")}`, updates, () => {
    const [K, N] = [2 * k, 4 * n];
    const [a, b, c] = [integers(m * K, -3, 3, 1), integers(K * N, -3, 3, 2), integers(m * N, -9, 9, 3)];
    const wanted = c.map((x, i) => {
      const [row, col] = [Math.floor(i / N), i % N];
      if (col >= 3 * n) return x;
      let all = 0;
      for (let j = 0; j < K; j++) all += (a[row * K + j] ?? 0) * (b[j * N + col] ?? 0);
      const v = 2 * all + -3 * x;
      return v > 4 ? v - 1 : v;
    });
    const args = [input(dtype, [m, K], a), input(dtype, [K, N], b), input(sum, [m, N], c), output(sum, [m, N], wanted)];
    return { args: [...args, { sum, shape }, [2, -3]] };
  });
}

/** Padded rows, and a tensor whose extents the host says at launch. */
const padded = kernel({ block: 32, grid: 1 }, function padded(a: Tensor<"f16", 2>, b: Tensor<"f16", 2>, d: Tensor<"f32", 2>) {
  const room = sharedMemory.alloc("f16", [16, 48]);
  const A = room.subview([0, 16], [16, 16]);
  fill(A as SharedView<Any, 2>, a.subview([0, 0], [16, 16]) as Tensor<Any, 2>, 32);
  syncThreads();
  const right = WMMAMatrix.load("b", b.subview([16, 16], [16, 16]));
  WMMAMatrix.accumulator("f32", [16, 16, 16]).mma(WMMAMatrix.load("a", A), right).store(d);
});

const paddedCase = defineCase("wmma/part-of-wider-rows", padded, () => {
  const [a, b] = [integers(256, -3, 3, 1), integers(32 * 32, -3, 3, 2)];
  const part = a.map((_, i) => b[(16 + Math.floor(i / 16)) * 32 + 16 + (i % 16)] ?? 0);
  return { args: [input("f16", [16, 16], a), input("f16", [32, 32], b), output("f32", [16, 16], multiplied(a, part, 16))] };
});

interface Conversion {
  readonly from: "f16" | "f32" | "i32";
  readonly to: "f16" | "f32";
  readonly shape: WMMAShape;
}

/** Each warp's matrix in another type, twice, and in a loop around it: what a conversion leaves in shared memory no other one reads. */
const conversions = kernel(
  { block: 128, grid: 1 },
  function conversions(c: Tensor<Any, 2>, d: Tensor<Any, 2>, { from, to, shape }: Static<Conversion>) {
    const [m, n] = shape;
    const at = warp.index * n;
    let D = WMMAMatrix.accumulator(to, shape);
    for (const i of range(3)) {
      const C = WMMAMatrix.load("c", c.subview([i * m, at], [m, n]), { shape });
      const [once, again] = [C.convert(to), C.map((v) => v + 1).convert(to)];
      D = D.zip(once, (sum, v) => sum + v).zip(again, (sum, v) => sum - 3 * v);
      if (from !== "i32") D = D.convert(from === "f16" ? "f16" : "f32").convert(to);
    }
    D.store(d.subview([0, at], [m, n]));
  },
);

function conversionCase(how: Conversion): Case {
  const [m, n] = how.shape;
  return defineCase(`wmma/convert-${how.from}-${how.to}-${how.shape.join("x")}`, conversions, () => {
    const N = 4 * n;
    const c = integers(3 * m * N, -40, 40, 4);
    const wanted = Array.from({ length: m * N }, (_, i) =>
      [0, 1, 2].reduce((sum, k) => sum + (c[k * m * N + i] ?? 0) - 3 * ((c[k * m * N + i] ?? 0) + 1), 0),
    );
    return { args: [input(how.from, [3 * m, N], c), output(how.to, [m, N], wanted), how] };
  });
}

/** Sums of f32 that f16 does not hold: they are rounded to nearest even, and what is too large is infinite. */
const rounded = kernel({ block: 32, grid: 1 }, function rounded(c: Tensor<"f32", 2>, d: Tensor<"f16", 2>) {
  WMMAMatrix.load("c", c).convert("f16").store(d);
});

const roundedCase = defineCase("wmma/convert-rounds", rounded, () => {
  const some = [2049, 2051, -2049, 4098, 70000, -70000, 0.1, 2 ** -25, -0, 65519, 65520, Number.NaN];
  const wanted = [2048, 2052, -2048, 4096, Infinity, -Infinity, 0.0999755859375, 0, -0, 65504, Infinity, Number.NaN];
  const all = (list: readonly number[]): number[] => Array.from({ length: 256 }, (_, i) => list[i % list.length] ?? 0);
  return { args: [input("f32", [16, 16], all(some)), output("f16", [16, 16], all(wanted))] };
});

export const wmmaCases: readonly Case[] = [
  ...everyProduct,
  ...everyLine,
  updateCase("f16", "f32", [16, 16, 16]),
  updateCase("f16", "f16", [32, 8, 16]),
  updateCase("bf16", "f32", [8, 32, 16]),
  updateCase("tf32", "f32", [16, 16, 8]),
  updateCase("i8", "i32", [16, 16, 16]),
  updateCase("f64", "f64", [8, 8, 4]),
  paddedCase,
  ...halves.flatMap((shape) => [
    conversionCase({ from: "f32", to: "f16", shape }),
    conversionCase({ from: "f16", to: "f32", shape }),
    conversionCase({ from: "i32", to: "f32", shape }),
    conversionCase({ from: "i32", to: "f16", shape }),
  ]),
  roundedCase,
];
