import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Device, openDevice } from "warpsmith";
import { matmul, matmulKernel } from "warpsmith/kernels";
import { randn } from "warpsmith/testing";
import { rotating, some } from "../../support/amount.ts";
import { distance, type Half, type Layout, layouts, type Matrix, smallPlan as plan, rowsOf, type Size } from "./products.ts";

let device: Device;
beforeAll(async () => {
  device = await openDevice("emulator", { check: "strict" });
});
afterAll(() => device.dispose());

/** Rows that follow each other without a gap, wherever they begin. */
const dense = (dtype: Half, rows: number, columns: number, seed: number): Matrix =>
  device.tensor(dtype, [rows, columns], randn(rows * columns, seed)) as Matrix;

function operands(dtype: Half, layout: Layout, { m, n, k }: Size) {
  return {
    a: layout[0] === "t" ? dense(dtype, k, m, 1).transpose(1, 0) : dense(dtype, m, k, 1),
    b: layout[1] === "t" ? dense(dtype, n, k, 2).transpose(1, 0) : dense(dtype, k, n, 2),
  };
}

describe("operands whose lines begin at no multiples of 16 bytes", () => {
  /** Lines that begin at multiples of an element, of two, and of four. */
  const ways = layouts.flatMap((layout) => [45, 46, 76].map((k) => [layout, k] as const));
  it.each(some(ways, 0))("%s, K = %d", async (layout, k) => {
    const size = { m: 75, n: 34, k };
    const { a, b } = operands(k === 46 ? "bf16" : "f16", layout, size);
    expect(await distance(matmul(a, b, { plan }), a, b)).toBeLessThan(1);
  });

  it("one of the two, and lines longer than what a block copies beside each other", async () => {
    const pairs = [
      [operands("f16", "nt", { m: 9, n: 8, k: 301 }).a, rowsOf(device, "f16", 24, 301, 3).transpose(1, 0)],
      [dense("f16", 8, 64, 4).slice(undefined, [1, 61]), dense("f16", 19, 64, 5).slice([1, 19], [0, 60]).transpose(1, 0)],
    ] as const;
    for (const [a, b] of some(pairs, 1)) expect(await distance(matmul(a, b, { plan }), a, b)).toBeLessThan(1);
  });

  it("are views whose rows end in the middle of what memory has at multiples of 4 or 8 bytes", rotating, async () => {
    const view = (rows: number, pitch: number, columns: number) => dense("f16", rows, pitch, rows).slice(undefined, [0, columns]);
    for (const k of some([29, 30], 1)) {
      const [a, b] = [view(40, k === 29 ? 30 : 36, k), view(19, k === 29 ? 36 : 44, k).transpose(1, 0)];
      expect(await distance(matmul(a, b, { plan }), a, b)).toBeLessThan(1);
    }
    const single = device.tensor("f16", [33], randn(33, 6)).slice([4, 33]).reshape(1, 29) as Matrix;
    const b = dense("f16", 29, 16, 7);
    expect(await distance(matmul(single, b, { plan }), single, b)).toBeLessThan(1);
  });

  it("are read anew by each call, whatever was copied in between, in streams and graphs", rotating, async () => {
    const { a, b } = operands("f16", "nt", { m: 40, n: 24, k: 33 });
    const larger = operands("f16", "nt", { m: 42, n: 26, k: 35 });
    const out = device.empty("f16", [40, 24]);
    const stream = device.stream();
    matmul(a, b, { out, plan });
    using graph = device.capture(() => void matmul(a, b, { out, plan, overlapPrevious: true }));
    matmul(larger.a, larger.b, { plan, stream });
    a.fill(0.25);
    matmul(a, b, { out, plan, stream, overlapPrevious: true });
    expect(await distance(out, a, b)).toBeLessThan(1);
    a.write(randn(40 * 33, 9));
    matmul(larger.a, larger.b, { plan });
    graph.launch();
    expect(await distance(out, a, b)).toBeLessThan(1);
  });

  it("take a launch of their own, which matmulKernel names, and others none", () => {
    const { a, b } = operands("f16", "nt", { m: 40, n: 24, k: 33 });
    const { before } = matmulKernel(a, b, { plan });
    expect(before.map(({ kernel, args }) => kernel.compile(...args).ptx)).toEqual([expect.stringContaining("copyLines")]);
    const aligned = operands("f16", "nt", { m: 40, n: 24, k: 32 });
    expect(matmulKernel(aligned.a, aligned.b, { plan }).before).toEqual([]);
  });

  it("in a graph, before any call: there is no memory for the copies yet", () => {
    const { a, b } = operands("bf16", "nt", { m: 200, n: 200, k: 333 });
    const out = device.empty("bf16", [200, 200]);
    expect(() => device.capture(() => void matmul(a, b, { out, plan }))).toThrow(/W7029/);
  });
});
