import { afterAll, describe, expect, it } from "vitest";
import { type Device, helper, openDevice } from "warpsmith";
import { matmul } from "warpsmith/kernels";
import { randn } from "warpsmith/testing";
import { operandsAmidNaN } from "../unit/kernels/amid-nan.ts";
import { changedBeside, partOf } from "../unit/kernels/parts.ts";
import { chain, distance, type Half, type Layout, layouts, operandsOf, rowsOf, type Size } from "../unit/kernels/products.ts";

/** A device that runs kernels, or why there is none. */
async function findDevice(): Promise<Device | string> {
  try {
    return await openDevice("cuda");
  } catch (error) {
    return error instanceof Error ? (error.message.split("\n")[0] ?? "no CUDA device") : String(error);
  }
}

const gpu = await findDevice();
if (typeof gpu === "string") console.warn(`matmul does not run on a GPU: ${gpu}`);
const opened = (): Device => {
  if (typeof gpu === "string") throw new Error(gpu);
  return gpu;
};

/** The first, the last and some rows between: sums in f64 of all would take the host seconds. */
const someRows = (m: number): readonly number[] =>
  [...new Set([0, 1, Math.floor(m / 3), Math.floor(m / 2) + 5, m - 1])].filter((row) => row < m);

const sizes: readonly Size[] = [
  { m: 8, n: 8, k: 8 },
  { m: 1, n: 512, k: 4096 },
  { m: 128, n: 256, k: 64 },
  { m: 1000, n: 776, k: 1032 },
  { m: 2048, n: 2048, k: 1024 },
  { m: 4096, n: 1536, k: 512 },
  { m: 520, n: 1001, k: 264 },
  { m: 16, n: 4096, k: 4104 },
  { m: 64, n: 1000, k: 4096 },
  { m: 100, n: 100, k: 8192 },
];

const relu = helper(
  (value: number, { bias, scale, residual }: { readonly bias: number; readonly scale: number; readonly residual: number }) =>
    Math.max(value * scale + bias, 0) + residual,
);

/** Of products in a row: [M, K] times [K, K]. The smaller, the more of them are at work at a time. */
const chains: readonly Pick<Size, "m" | "n">[] = [
  { m: 128, n: 128 },
  { m: 512, n: 512 },
  { m: 1000, n: 776 },
  { m: 2048, n: 2048 },
  { m: 4096, n: 1536 },
  { m: 129, n: 75 },
  { m: 1001, n: 33 },
];

/** Of operands that TMA cannot load, and of rows that it cannot store. */
const small: readonly Size[] = [
  { m: 143, n: 1422, k: 38 },
  { m: 5293, n: 499, k: 18 },
  { m: 11, n: 1001, k: 9 },
  { m: 75, n: 10, k: 66 },
  { m: 300, n: 201, k: 133 },
  { m: 33, n: 205, k: 1675 },
];

async function check(dtype: Half, layout: Layout, size: Size): Promise<number> {
  const { a, b } = operandsOf(opened(), dtype, layout, size);
  using out = opened().empty(dtype, [size.m, size.n]);
  for (let i = 0; i < 3; i++) matmul(a, b, { out });
  return await distance(out, a, b, (value) => value, someRows(size.m));
}

async function checkFused(dtype: Half, layout: Layout, size: Size): Promise<number> {
  const { m, n } = size;
  const { a, b } = operandsOf(opened(), dtype, layout, size);
  const bias = opened().tensor("f32", [n], randn(n, 3));
  const scale = opened().tensor("f32", [m, 1], randn(m, 4));
  const residual = rowsOf(opened(), dtype, m, n, 5);
  const out = matmul(a, b, { inputs: { bias, scale, residual }, epilogue: relu });
  const [c, s, r] = [await bias.read(), await scale.read(), await residual.read()];
  const finish = (value: number, row: number, col: number) =>
    Math.max(value * (s[row] ?? 0) + (c[col] ?? 0), 0) + (r[row * n + col] ?? 0);
  // The scale also grows what the sum in f32 is off.
  return (await distance(out, a, b, finish, someRows(m))) / 8;
}

describe.skipIf(typeof gpu === "string")("matmul on the GPU, against rows in f64", () => {
  afterAll(() => opened().dispose());
  const odd = [
    { m: 300, n: 520, k: 1001 },
    { m: 3, n: 4097, k: 515 },
    { m: 1030, n: 1026, k: 998 },
  ];
  it.each(odd.flatMap((size) => layouts.map((layout) => [layout, size] as const)))(
    "of lines that begin at no multiples of 16 bytes: %s %o",
    async (layout, { m, n, k }) => {
      const dense = (rows: number, columns: number, seed: number) =>
        opened().tensor("f16", [rows, columns], randn(rows * columns, seed));
      const a = layout[0] === "t" ? dense(k, m, 1).transpose(1, 0) : dense(m, k, 1);
      const b = layout[1] === "t" ? dense(n, k, 2).transpose(1, 0) : dense(k, n, 2);
      using out = opened().empty("f16", [m, n]);
      for (const overlapPrevious of [false, true, true]) matmul(a, b, { out, overlapPrevious });
      expect(await distance(out, a, b, (value) => value, someRows(m))).toBeLessThan(1);
    },
  );
  it.each(small.flatMap((size) => layouts.map((layout) => [layout, size] as const)))(
    "of lines that threads load, NaN around them, into a part of a wider matrix: %s %o",
    async (layout, size) => {
      const { m, n, k } = size;
      for (const [more, begin] of [
        [0, 0],
        [1, 2],
        [4, 4],
      ] as const) {
        const { a, b } = operandsAmidNaN(opened(), "bf16", layout, size, { more, begin });
        const { memory, part } = partOf(opened(), "bf16", [m, n], { pitch: n + begin + more, begin });
        for (const overlapPrevious of [false, true, true]) matmul(a, b, { out: part, overlapPrevious });
        expect(await distance(part, a, b, (value) => value, someRows(m)), `${more} ${begin} ${k}`).toBeLessThan(1);
        expect(await changedBeside(memory, n, begin)).toBe(0);
      }
    },
  );
  it.each(["f16", "bf16", "f32"] as const)("alpha a @ b + beta out, of %s", async (dtype) => {
    for (const size of [sizes[3], sizes[4], sizes[6], sizes[9]] as readonly Size[]) {
      const { m, n } = size;
      const { a, b } = operandsOf(opened(), "f16", "nt", size);
      const held = randn(m * n, 3).map((value) => Math.round(value * 8) / 8);
      using out = opened().tensor(dtype, [m, n], held);
      matmul(a, b, { out, alpha: 0.5, beta: -2 });
      const finish = (value: number, row: number, col: number) => 0.5 * value - 2 * (held[row * n + col] ?? 0);
      expect(await distance(out, a, b, finish, someRows(m)), `${m}x${n}`).toBeLessThan(1);
    }
  });
  const all = layouts.flatMap((layout, i) => sizes.map((size) => [layout, i % 2 === 0 ? "f16" : "bf16", size] as const));
  it.each(all)("%s %s %o", async (layout, dtype, size) => {
    expect(await check(dtype, layout, size)).toBeLessThan(1);
  });
  it.each(all)("with an epilogue: %s %s %o", async (layout, dtype, size) => {
    expect(await checkFused(dtype, layout, size)).toBeLessThan(1);
  });
  const rows = chains.flatMap((size) => (["nt", "nn"] as const).map((layout) => [layout, size] as const));
  it.each(rows)("twenty in a row, with and without overlapPrevious: %s %o", async (layout, size) => {
    const dtype = layout === "nt" ? "f16" : "bf16";
    for (const overlapPrevious of [false, true, true])
      expect(await chain(opened(), dtype, layout, size, 20, { overlapPrevious }), `${overlapPrevious}`).toBe(0);
  });
});
