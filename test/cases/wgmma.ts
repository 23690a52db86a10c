import type { Accumulator, AccumulatorType, DType, SharedView, Static, Swizzle, Tensor } from "warpsmith";
import { fence, kernel, range, sharedMemory, syncThreads, threadIdx, WGMMAMatrix } from "warpsmith";
import { type Case, defineCase, input, output } from "./case.ts";
import { integers, roundings } from "./numbers.ts";

export type Any = Exclude<DType, "i64" | "u64" | "bool">;
type InputType = "f16" | "bf16" | "tf32" | "e4m3" | "e5m2" | "i8" | "u8";
type Major = "k" | "mn";

export interface Layouts {
  readonly swizzle: Swizzle;
  readonly aMajor: Major;
  readonly bMajor: Major;
}
interface Sizes {
  readonly M: number;
  readonly N: number;
  readonly K: number;
}

const elementBytes: Readonly<Record<InputType, number>> = { f16: 2, bf16: 2, tf32: 4, e4m3: 1, e5m2: 1, i8: 1, u8: 1 };

/** A matrix in shared memory whose rows are `inner` elements, as wgmma takes it: with no swizzle in columns of 16 bytes. */
function stored(dtype: InputType, outer: number, inner: number, swizzle: Swizzle): SharedView<Any, 2> {
  "use kernel";
  if (swizzle !== "none") return sharedMemory.alloc(dtype, [outer, inner], { swizzle });
  const chunk = 16 / elementBytes[dtype];
  return sharedMemory
    .alloc(dtype, [inner / chunk, outer, chunk], { align: 128 })
    .transpose(1, 0, 2)
    .reshape(outer, inner);
}

/** [rows, K] of a left operand, or transposed of a right one. */
function operand(dtype: InputType, rows: number, k: number, major: Major, swizzle: Swizzle): SharedView<Any, 2> {
  "use kernel";
  return major === "k" ? stored(dtype, rows, k, swizzle) : stored(dtype, k, rows, swizzle).transpose();
}

/** Element by element, by all threads. */
export function fill(view: SharedView<Any, 2>, x: Tensor<Any, 2>, threads: number): void {
  "use kernel";
  const [rows, cols] = view.shape;
  for (const e of range(threadIdx.x, rows * cols, threads)) {
    const r = Math.trunc(e / cols),
      c = e % cols;
    view.at(r, c).store(x.at(r, c).load());
  }
}

/** A [M, K] and B [K, N] in shared memory, ready for wgmma. */
export function operands(a: Tensor<Any, 2>, b: Tensor<Any, 2>, { swizzle, aMajor, bMajor }: Layouts, threads = 128) {
  "use kernel";
  const [M, K] = a.shape,
    N = b.shape[1];
  const aView = operand(a.dtype as InputType, M, K, aMajor, swizzle);
  const bView = operand(b.dtype as InputType, N, K, bMajor, swizzle).transpose();
  fill(aView, a, threads);
  fill(bView, b, threads);
  fence.proxyAsync();
  syncThreads();
  return {
    A: WGMMAMatrix.descriptor(aView, [M, K], { major: aMajor }),
    B: WGMMAMatrix.descriptor(bView, [K, N], { major: bMajor }),
  };
}

/** D = A @ B and what `finish` makes of it. */
const product = (finish: (D: Accumulator, d: Tensor<Any, 2>) => void) =>
  kernel(
    { block: (_a, _b, _d, _layouts, _type, groups) => groups * 128, grid: 1 },
    function product(
      a: Tensor<Any, 2>,
      b: Tensor<Any, 2>,
      d: Tensor<Any, 2>,
      layouts: Static<Layouts>,
      type: Static<AccumulatorType>,
      groups: Static<number>,
    ) {
      const { A, B } = operands(a, b, layouts, groups * 128);
      let D = WGMMAMatrix.accumulator(type, [a.shape[0], b.shape[1]], { warpgroups: groups });
      D = D.mma(A, B, { wait: 0 });
      finish(D, d);
    },
  );

const plain = product((D, d) => {
  "use kernel";
  D.store(d);
});
const throughShared = (swizzle: Swizzle) =>
  product((D, d) => {
    "use kernel";
    const tile = sharedMemory.alloc(D.dtype as Any, D.shape, { swizzle });
    D.store(tile);
    syncThreads();
    const [rows, cols] = D.shape;
    for (const e of range(threadIdx.x, rows * cols, 128))
      d.at(Math.trunc(e / cols), e % cols).store(tile.at(Math.trunc(e / cols), e % cols).load());
  });
const finishes: Readonly<Record<string, ReturnType<typeof product>>> = {
  map: product((D, d) => {
    "use kernel";
    D.map((v, row, col) => (row > col ? v * 2 : row === col ? 1000 : -v)).store(d);
  }),
  scale: product((D, d) => {
    "use kernel";
    D.scale(-4).store(d);
  }),
  columns: product((D, d) => {
    "use kernel";
    D.columns(32, 16).store(d.subview([0, 32], [64, 16]));
    D.columns(0, 8)
      .scale(2)
      .store(d.subview([0, 0], [64, 8]));
  }),
  subview: product((D, d) => {
    "use kernel";
    D.store(d.subview([8, 16], [64, 64]));
  }),
  corner: product((D, d) => {
    "use kernel";
    D.store(d.subview([0, 0], [64, 64]));
  }),
  cut: product((D, d) => {
    "use kernel";
    D.store(d.subview([0, 0], [50, 37]));
  }),
};
const convertTo = (dtype: DType) =>
  product((D, d) => {
    "use kernel";
    D.convert(dtype).store(d);
  });

export const inputs = (M: number, N: number, K: number, dtype: InputType) => {
  const low = dtype === "u8" ? 0 : -3;
  return { a: integers(M * K, low, 3, 11), b: integers(K * N, low, 3, 23) };
};

export function matmul({ M, N, K }: Sizes, a: readonly number[], b: readonly number[]): number[] {
  const out = new Array<number>(M * N).fill(0);
  for (let m = 0; m < M; m++)
    for (let k = 0; k < K; k++) for (let n = 0; n < N; n++) out[m * N + n]! += a[m * K + k]! * b[k * N + n]!;
  return out.map((v) => v + 0);
}

interface Wanted extends Partial<Sizes>, Partial<Layouts> {
  readonly dtype?: InputType;
  readonly type?: AccumulatorType;
  readonly groups?: number;
  /** Type and shape of what is stored, what is there before, and what each element should be. */
  readonly to?: DType;
  readonly shape?: readonly [number, number];
  readonly initial?: number;
  readonly expected?: (row: number, col: number, product: (row: number, col: number) => number) => number;
}

/** All values are whole and small, so that every result is exact and must match bit for bit. */
function productCase(name: string, made: ReturnType<typeof product>, wanted: Wanted): Case {
  const { M = 64, N = 64, K = 64, dtype = "f16", groups = 1 } = wanted;
  const { swizzle = "128B", aMajor = "k", bMajor = "k" } = wanted;
  const type = wanted.type ?? (dtype === "i8" || dtype === "u8" ? "i32" : "f32");
  const shape = wanted.shape ?? [M, N];
  const to = wanted.to ?? type;
  return defineCase(`wgmma/${name}`, made, () => {
    const { a, b } = inputs(M, N, K, dtype);
    const d = matmul({ M, N, K }, a, b);
    const at = (row: number, col: number): number => d[row * N + col]!;
    const expected = Array.from({ length: shape[0] * shape[1] }, (_, i) => {
      const [row, col] = [Math.floor(i / shape[1]), i % shape[1]];
      const value = wanted.expected ? wanted.expected(row, col, at) : at(row, col);
      return to === "i32" ? value + 0 : value;
    });
    const before = wanted.initial;
    const initial = before === undefined ? {} : { initial: expected.map(() => before) };
    return {
      args: [
        input(dtype, [M, K], a),
        input(dtype, [K, N], b),
        output(to, shape, expected, initial),
        { swizzle, aMajor, bMajor },
        type,
        groups,
      ],
    };
  });
}

const swizzles: readonly Swizzle[] = ["none", "32B", "64B", "128B"];
const kinds: readonly (readonly [InputType, AccumulatorType])[] = [
  ["f16", "f32"],
  ["f16", "f16"],
  ["bf16", "f32"],
  ["tf32", "f32"],
  ["e4m3", "f32"],
  ["e4m3", "f16"],
  ["e5m2", "f32"],
  ["e5m2", "f16"],
  ["i8", "i32"],
  ["u8", "i32"],
];

function typeCases(): Case[] {
  return kinds.flatMap(([dtype, type]) =>
    swizzles.map((swizzle) =>
      productCase(`${dtype}-${type}-${swizzle}`, plain, { dtype, type, swizzle, K: dtype === "tf32" ? 64 : 128 }),
    ),
  );
}

function majorCases(): Case[] {
  const majors = [
    ["k", "k"],
    ["k", "mn"],
    ["mn", "k"],
    ["mn", "mn"],
  ] as const;
  return (["f16", "bf16"] as const).flatMap((dtype) =>
    majors.flatMap(([aMajor, bMajor]) =>
      swizzles.map((swizzle) =>
        productCase(`majors-${dtype}-${aMajor}-${bMajor}-${swizzle}`, plain, {
          dtype,
          aMajor,
          bMajor,
          swizzle,
          M: 128,
          N: 64,
          K: 64,
        }),
      ),
    ),
  );
}

function sizeCases(): Case[] {
  const columns = [8, 16, 24, 40, 64, 96, 128, 192, 256];
  return [
    ...columns.map((N) => productCase(`n${N}`, plain, { N })),
    ...columns.filter((N) => N <= 24 || N % 16 === 0).map((N) => productCase(`i8-n${N}`, plain, { dtype: "i8", N, K: 128 })),
    ...[64, 128, 192].map((N) => productCase(`n${N}-mn`, plain, { N, bMajor: "mn" })),
    ...[64, 128].map((M) => productCase(`m${M}`, plain, { M })),
    productCase("m128-mn", plain, { M: 128, N: 128, aMajor: "mn" }),
    productCase("m128-groups2", plain, { M: 128, N: 256, groups: 2 }),
    productCase("m256-groups2", plain, { M: 256, N: 96, groups: 2 }),
    productCase("m256-groups4", plain, { M: 256, N: 64, groups: 4 }),
    productCase("m128-groups2-mn", plain, { M: 128, N: 64, groups: 2, aMajor: "mn" }),
    ...[16, 32, 64, 128, 256].map((K) =>
      productCase(`k${K}`, plain, { K, swizzle: K === 16 ? "32B" : K === 32 ? "64B" : "128B" }),
    ),
    productCase("k256-mn", plain, { K: 256, aMajor: "mn", bMajor: "mn" }),
  ];
}

function finishCases(): Case[] {
  const get = (name: string) => finishes[name]!;
  return [
    productCase("map", get("map"), { expected: (r, c, p) => (r > c ? p(r, c) * 2 : r === c ? 1000 : -p(r, c)) }),
    productCase("map-groups2", get("map"), {
      M: 128,
      N: 40,
      groups: 2,
      expected: (r, c, p) => (r > c ? p(r, c) * 2 : r === c ? 1000 : -p(r, c)),
    }),
    productCase("map-i32", get("map"), {
      dtype: "i8",
      K: 128,
      expected: (r, c, p) => (r > c ? p(r, c) * 2 : r === c ? 1000 : -p(r, c)),
    }),
    productCase("scale", get("scale"), { expected: (r, c, p) => -4 * p(r, c) }),
    productCase("columns", get("columns"), {
      initial: 5,
      expected: (r, c, p) => (c >= 32 && c < 48 ? p(r, c) : c < 8 ? 2 * p(r, c) : 5),
    }),
    productCase("subview", get("subview"), {
      shape: [80, 96],
      initial: 5,
      expected: (r, c, p) => (r >= 8 && r < 72 && c >= 16 && c < 80 ? p(r - 8, c - 16) : 5),
    }),
    productCase("cut", get("cut"), { initial: 5, expected: (r, c, p) => (r < 50 && c < 37 ? p(r, c) : 5) }),
    ...(["f16", "bf16"] as const).map((to) =>
      productCase(`convert-${to}`, convertTo(to), { to, expected: (r, c, p) => roundings[to](p(r, c)) }),
    ),
    productCase("convert-i32", convertTo("i32"), { to: "i32" }),
    productCase("convert-f32", convertTo("f32"), { dtype: "i8", K: 128, to: "f32" }),
    ...[
      [33, 64],
      [64, 33],
      [50, 41],
      [20, 130],
      [200, 7],
    ].map(([rows = 1, cols = 1]) =>
      productCase(`ragged-${rows}x${cols}`, rows > 64 || cols > 64 ? get("corner") : plain, {
        shape: [rows, cols],
        initial: 5,
        expected: (r, c, p) => (r < 64 && c < 64 ? p(r, c) : 5),
      }),
    ),
    ...swizzles.flatMap((swizzle) =>
      kinds
        .slice(0, 3)
        .map(([dtype, type]) => productCase(`shared-${dtype}-${type}-${swizzle}`, throughShared(swizzle), { dtype, type })),
    ),
    ...swizzles.map((swizzle) => productCase(`shared-n128-${swizzle}`, throughShared(swizzle), { N: 128, M: 128 })),
    productCase("shared-n24", throughShared("none"), { N: 24 }),
    productCase("shared-f16-n24", throughShared("none"), { N: 24, type: "f16" }),
  ];
}

export const wgmmaCases: readonly Case[] = [...typeCases(), ...majorCases(), ...sizeCases(), ...finishCases()];
