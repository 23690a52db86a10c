import { afterAll, describe, expect, it } from "vitest";
import { openDevice } from "warpsmith";
import { type SortOptions, sort } from "warpsmith/kernels";
import { rotating, some } from "../../support/amount.ts";
import { rowsOf } from "./select-cases.ts";

const gpu = await openDevice("emulator", { check: "strict" });
afterAll(() => gpu.dispose());

type Type = "i32" | "u32" | "f32";
const hash = (i: number): number => {
  const h = Math.imul(i ^ (i >>> 7), 0x7feb352d);
  return Math.imul(h ^ (h >>> 15), 0x846ca68b) | 0;
};
const { NaN: nan, POSITIVE_INFINITY: inf } = Number;
const numbers: Readonly<Record<Type, (i: number) => number>> = {
  i32: (i) => (i % 5 === 0 ? hash(i % 50) : hash(i)),
  u32: (i) => hash(i) >>> (i % 3 === 0 ? 24 : 0),
  f32: (i) => [nan, inf, -inf, 0, -0, 1.5, -1.5][hash(i) & 15] ?? Math.fround(Math.sin(i) * 10 ** ((i % 70) - 35)),
};

/** NaN behind everything, and all else in place. */
const compare = (a: number, b: number): number =>
  Number.isNaN(a) ? (Number.isNaN(b) ? 0 : 1) : Number.isNaN(b) ? -1 : a === b ? 0 : a - b;

/** They rotate: the compilation of a sort takes two seconds. */
const cases: readonly (readonly [Type, readonly number[], boolean, boolean])[] = [
  ["u32", [2, 3, 7], true, false],
  ["u32", [2, 3, 33], true, false],
  ["f32", [2, 3, 333], true, true],
  ["f32", [2100], true, true],
  ["i32", [3, 1000], false, true],
  ["u32", [2, 5000], true, false],
  ["f32", [20_000], false, true],
  ["i32", [8193], true, false],
  ["u32", [2049], false, true],
  ["i32", [1], false, true],
];

describe("sort", () => {
  it.each(some(cases, 0))("of %s %j, descending: %s, with columns: %s", async (dtype, shape, descending, isValued) => {
    const count = shape.reduce((a, b) => a * b);
    const x = gpu.tensor(
      dtype,
      [...shape],
      Array.from({ length: count }, (_, i) => numbers[dtype](i)),
    );
    const { keys, values } = sort(x, { descending, ...(isValued ? { values: "columns" } : {}) });
    const rows = await rowsOf(x);
    const order = rows.map((row) =>
      row.map((_, i) => i).sort((a, b) => (descending ? -1 : 1) * compare(row[a] ?? 0, row[b] ?? 0) || a - b),
    );
    expect(await rowsOf(keys)).toEqual(order.map((columns, r) => columns.map((c) => rows[r]?.[c])));
    if (values) expect(await rowsOf(values)).toEqual(order);
    else expect(isValued).toBe(false);
  });

  it("moves numbers with the keys, in place and in parts of wider rows", rotating, async () => {
    const [n, data] = [9000, Array.from({ length: 9000 }, (_, i) => hash(i))];
    const wide = gpu.zeros("i32", [2, n + 3]);
    const x = wide.slice([1, 2], [2, n + 2]);
    x.write(Int32Array.from(data));
    const values = gpu.tensor(
      "i32",
      [1, n],
      data.map((v) => v ^ 5),
    );
    const options: SortOptions<"i32", 2> = { values, out: x, outValues: values };
    expect(sort(x, options)).toEqual({ keys: x, values });
    const want = data.toSorted((a, b) => a - b);
    expect([...(await x.read())]).toEqual(want);
    expect([...(await values.read())]).toEqual(want.map((v) => v ^ 5));
    expect([...(await wide.read())].filter((v) => v !== 0)).toHaveLength(want.filter((v) => v !== 0).length);
    sort(x, options);
    expect([...(await x.read())]).toEqual(want);
  });

  it.each([
    [2, 50],
    [1, 3000],
  ] as const)("runs where it may overlap: %i rows of %i", rotating, async (rows, columns) => {
    const x = gpu.tensor(
      "i32",
      [rows, columns],
      Array.from({ length: rows * columns }, (_, i) => hash(i)),
    );
    const want = (await rowsOf(x)).map((row) => row.toSorted((a, b) => a - b));
    expect(await rowsOf(sort(x, { overlapPrevious: true }).keys)).toEqual(want);
  });

  it("refuses what it does not sort", () => {
    const code = (expected: string) => expect.objectContaining({ code: expected });
    const x = gpu.zeros("i32", [4, 64]);
    expect(() => sort(gpu.zeros("f16", [4]) as never)).toThrow(code("W7616"));
    expect(() => sort(x, { outValues: gpu.zeros("i32", [4, 64]) })).toThrow(code("W7620"));
    expect(() => sort(x, { values: "rows" as never })).toThrow(code("W7046"));
    expect(() => sort(x.transpose(1, 0))).toThrow(code("W7617"));
    expect(() => sort(x, { values: x, out: x })).toThrow(code("W7619"));
  });
});
