import { afterAll, describe, expect, it } from "vitest";
import { type DeviceTensor, openDevice } from "warpsmith";
import { embedding, rotary } from "warpsmith/kernels";
import { assertClose } from "warpsmith/testing";
import { some } from "../../support/amount.ts";
import { type Float, rowsOf } from "./select-cases.ts";

const gpu = await openDevice("emulator", { check: "strict" });
afterAll(() => gpu.dispose());

const wave = (n: number, by = 1) => Float32Array.from({ length: n }, (_, i) => Math.sin(i * by));
const code = (expected: string) => expect.objectContaining({ code: expected });

describe("embedding", () => {
  const tables = [
    ["bf16", 64, "i32"],
    ["f32", 33, "i64"],
    ["f16", 6, "i32"],
  ] as const;
  it.each(some(tables, 2))("of %s, rows of %i, ids of %s", async (dtype, columns, ids) => {
    const table = gpu.tensor(dtype, [11, columns], wave(11 * columns)) as DeviceTensor<Float, 2>;
    const chosen = Array.from({ length: 35 }, (_, i) => (i * 7) % 11);
    const at = ids === "i32" ? gpu.tensor("i32", [5, 7], chosen) : gpu.tensor("i64", [5, 7], chosen.map(BigInt));
    const out = embedding(table, at as DeviceTensor<"i32">);
    expect(out.shape).toEqual([5, 7, columns]);
    const rows = await rowsOf(table);
    expect(await rowsOf(out)).toEqual(chosen.map((id) => rows[id]));
  });

  it("says which id is no row, or gives NaN and reads nothing", async () => {
    const table = gpu.tensor("f32", [3, 4], wave(12));
    for (const ids of [gpu.tensor("i32", [3], [0, 3, -1]), gpu.tensor("i64", [3], [0n, 2n ** 33n, -1n])]) {
      const got = await rowsOf(embedding(table, ids as DeviceTensor<"i32">, { debug: false }));
      expect(got).toEqual([(await rowsOf(table))[0], Array(4).fill(Number.NaN), Array(4).fill(Number.NaN)]);
      embedding(table, ids as DeviceTensor<"i32">);
      await expect(gpu.sync()).rejects.toThrow(code("W7515"));
    }
  });
});

interface Case {
  readonly dtype: Float;
  readonly angles: Float;
  readonly shape: readonly number[];
  readonly turning: number;
  readonly layout: "halves" | "interleaved";
  /** Tokens and tables lie apart by this many elements. */
  readonly gap?: number;
  readonly positions?: boolean;
}

const cases: readonly Case[] = [
  { dtype: "bf16", angles: "bf16", shape: [7, 6, 128], turning: 128, layout: "interleaved", positions: true },
  { dtype: "f16", angles: "f16", shape: [2, 3, 5, 80], turning: 32, layout: "halves", positions: true },
  { dtype: "bf16", angles: "f32", shape: [2, 5, 3, 64], turning: 64, layout: "halves" },
  { dtype: "f32", angles: "f32", shape: [4, 1, 24], turning: 8, layout: "interleaved" },
  { dtype: "f32", angles: "f32", shape: [4, 2, 10], turning: 6, layout: "halves", gap: 1 },
  { dtype: "bf16", angles: "f32", shape: [4, 2, 10], turning: 6, layout: "interleaved", gap: 1, positions: true },
];

function apart(dtype: Float, shape: readonly number[], data: Float32Array, gap: number): DeviceTensor<Float> {
  if (gap === 0) return gpu.tensor(dtype, [...shape], data) as DeviceTensor<Float>;
  const [columns = 1] = shape.slice(-1);
  const wide = gpu.empty(dtype, [...shape.slice(0, -1), columns + gap]) as DeviceTensor<Float>;
  const view = wide.slice(...(shape.map((_, i) => (i === shape.length - 1 ? [gap, columns + gap] : undefined)) as never[]));
  (view as DeviceTensor<Float>).write(data);
  return view as DeviceTensor<Float>;
}

describe("rotary", () => {
  it.each(some(cases, 3))(
    "$layout, $turning of $shape, $dtype by $angles",
    async ({ dtype, angles, shape, turning, layout, gap = 0, positions }) => {
      const [tokens, columns] = [shape.slice(0, -2).reduce((a, b) => a * b), shape.at(-1) ?? 1];
      const heads = shape.at(-2) ?? 1;
      const rows = 16;
      const x = apart(dtype, shape, wave(tokens * heads * columns), gap);
      const [cos, sin] = [1.1, 1.7].map((by) => apart(angles, [rows, turning / 2], wave((rows * turning) / 2, by), gap)) as [
        DeviceTensor<Float, 2>,
        DeviceTensor<Float, 2>,
      ];
      const length = shape.at(-3) ?? 1;
      const at = Array.from({ length: tokens }, (_, i) => (positions ? (i * 5 + 3) % rows : i % length));
      const given = positions ? { positions: gpu.tensor("i32", shape.slice(0, -2) as number[], at) as DeviceTensor<"i32"> } : {};
      const [before, c, s] = [await rowsOf(x), await rowsOf(cos), await rowsOf(sin)];
      const want = before.map((row, r) => {
        const token = at[Math.floor(r / heads)] ?? 0;
        const result = [...row];
        for (let j = 0; j < turning / 2; j++) {
          const [p, q] = layout === "halves" ? [j, j + turning / 2] : [2 * j, 2 * j + 1];
          const [a, b, u, v] = [row[p] ?? 0, row[q] ?? 0, c[token]?.[j] ?? 0, s[token]?.[j] ?? 0];
          result[p] = a * u - b * v;
          result[q] = b * u + a * v;
        }
        return result;
      });
      const out = rotary(x, cos, sin, { layout, ...given });
      const close = { rtol: dtype === "f32" ? 1e-6 : dtype === "f16" ? 2 ** -10 : 2 ** -7.5, atol: 1e-5 };
      assertClose((await rowsOf(out)).flat(), want.flat(), close);
      expect(rotary(x, cos, sin, { layout, ...given, out: x })).toBe(x);
      expect(await rowsOf(x)).toEqual(await rowsOf(out));
    },
  );

  it("refuses tables that do not fit, and says which position is no row", async () => {
    const x = gpu.tensor("f32", [4, 2, 8], wave(64));
    const table = (rows: number, columns: number) => gpu.zeros("f32", [rows, columns]);
    expect(() => rotary(x, table(4, 5), table(4, 5))).toThrow(code("W7625"));
    expect(() => rotary(x, table(4, 4), table(4, 3))).toThrow(code("W7616"));
    expect(() => rotary(x, table(3, 4), table(3, 4))).toThrow(code("W7626"));
    expect(() => rotary(gpu.zeros("f32", [4, 8]), table(4, 4), table(4, 4))).toThrow(code("W7616"));
    expect(() =>
      rotary(x, table(4, 4), table(4, 4), { out: x.reshape(4, 1, 16).slice(undefined, undefined, [0, 8]) as never }),
    ).toThrow();
    const positions = gpu.tensor("i32", [4], [0, 1, 2, 4]);
    const got = await rowsOf(rotary(x, table(4, 2), table(4, 2), { positions, debug: false }));
    expect(got[6]?.slice(0, 4)).toEqual(Array(4).fill(Number.NaN));
    expect(got[6]?.slice(4)).toEqual((await rowsOf(x))[6]?.slice(4));
    rotary(x, table(4, 4), table(4, 4), { positions });
    await expect(gpu.sync()).rejects.toThrow(code("W7515"));
  });
});
