import { afterAll, describe, expect, it } from "vitest";
import { openDevice } from "warpsmith";
import { type RowPlan, topK } from "warpsmith/kernels";
import { some } from "../../support/amount.ts";
import { type Any, columnsInOrder, type Float, type Kind, matrix, rowsOf } from "./select-cases.ts";

const gpu = await openDevice("emulator", { check: "strict" });
afterAll(() => gpu.dispose());

async function check(x: Any, k: number, plan?: RowPlan) {
  const { values, indices } = topK(x, k, plan ? { plan } : {});
  const [rows, got, at] = [await rowsOf(x), await rowsOf(values), await rowsOf(indices)];
  const want = rows.map((row) => columnsInOrder(row).slice(0, k));
  expect(at).toEqual(want);
  expect(got).toEqual(want.map((columns, r) => columns.map((c) => rows[r]?.[c])));
}

const blocks = (threads: number, cluster = 1): RowPlan => ({ threads, group: "block", cluster, depth: 2 });
const cases: readonly (readonly [Float, readonly [number, number], number, Kind, RowPlan | undefined, boolean])[] = [
  ["bf16", [3, 128], 8, "normal", undefined, true],
  ["f32", [2, 1], 1, "normal", undefined, true],
  ["f32", [2, 7], 7, "special", undefined, false],
  ["bf16", [2, 3000], 50, "normal", undefined, true],
  ["bf16", [1, 3000], 50, "ties", blocks(64, 4), true],
  ["f32", [2, 3000], 50, "normal", blocks(96), false],
  ["f32", [2, 3000], 300, "same", blocks(128), true],
  ["f32", [1, 5000], 2048, "same", blocks(256, 2), true],
  ["f16", [1, 4096], 1000, "ties", undefined, true],
  ["f16", [2, 1500], 50, "special", blocks(64, 2), false],
];

describe("topK", () => {
  it.each(some(cases, 1))("of %s %j, the first %i: %s, %o", async (dtype, shape, k, kind, plan, dense) => {
    await check(matrix(gpu, dtype, shape, kind, dense), k, plan);
  });

  it("keeps the other axes, and goes where it is told", async () => {
    const x = gpu.tensor("f32", [2, 2, 4], [3, 1, 2, 0, 5, 6, 7, 8, 1, 1, 1, 1, -1, -2, -3, -4]);
    const [values, indices] = [gpu.empty("f32", [2, 2, 2]), gpu.empty("i32", [2, 2, 2])];
    expect(topK(x, 2, { values, indices })).toEqual({ values, indices });
    expect([...(await values.read())]).toEqual([3, 2, 8, 7, 1, 1, -1, -2]);
    expect([...(await indices.read())]).toEqual([0, 2, 3, 2, 0, 1, 0, 1]);
  });

  it("refuses counts that a row has not, and results within the operand", () => {
    const x = gpu.zeros("f32", [4, 64]);
    const code = (expected: string) => expect.objectContaining({ code: expected });
    for (const k of [0, 65, 1.5, -1]) expect(() => topK(x, k)).toThrow(code("W7624"));
    expect(() => topK(gpu.zeros("f32", [1, 4000]), 2049)).toThrow(code("W7624"));
    expect(() => topK(x, 2, { values: x.slice(undefined, [0, 2]) as never })).toThrow(code("W7619"));
    expect(() => topK(x, 2, { indices: gpu.zeros("i32", [4, 3]) })).toThrow(code("W7616"));
    expect(() => topK(x, 2, { plan: { threads: 64, group: "warp" } })).toThrow(code("W7613"));
  });
});
