import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Device, type DeviceTensor, f32, helper, openDevice } from "warpsmith";
import { gatedMatmul, type MatmulOutput, matmul, matmulKernel, type Plan } from "warpsmith/kernels";
import { randn } from "warpsmith/testing";
import { rotating, some } from "../../support/amount.ts";
import { outputPlans } from "./output-plans.ts";
import { pairOf, productsOf } from "./pairs.ts";
import { distance, type Matrix, operandsOf, rowsOf, smallPlan } from "./products.ts";

let device: Device;
beforeAll(async () => {
  device = await openDevice("emulator", { check: "strict" });
});
afterAll(() => device.dispose());

const vector = (count: number): DeviceTensor<"f32", 1> => {
  const made = device.empty("f32", [count]) as DeviceTensor<"f32", 1>;
  made.fill(Number.NaN);
  return made;
};

/** What is asked of every element here, on the device and on the host. It is not 0 where the product is. */
const both = helper((value: number) => ({ value, squares: value * value + 1, top: 2 - value }));

/** Sums and maxima of rows, how far they are off at most: 1 is what rounding may do. */
async function farthest(a: Matrix, b: Matrix, squares: DeviceTensor<"f32">, top: DeviceTensor<"f32">): Promise<number> {
  const [sums, tops] = [await squares.read(), await top.read()];
  let worst = 0;
  for (const { row, sums: elements, sizes } of await productsOf(a, b)) {
    const size = sizes.reduce((most, value) => Math.max(most, value), 0);
    const sum = elements.reduce((total, value) => total + value * value + 1, 0);
    const most = elements.reduce((most, value) => Math.max(most, 2 - value), Number.NEGATIVE_INFINITY);
    const near = size * 2 ** -19 + 2 ** -20;
    const offs = [
      Math.abs((sums[row] ?? Number.NaN) - sum) / (sum * 2 ** -18 + elements.length * size * near),
      Math.abs((tops[row] ?? Number.NaN) - most) / near,
    ];
    for (const off of offs) worst = Math.max(worst, Number.isNaN(off) ? Number.POSITIVE_INFINITY : off);
  }
  return worst;
}

describe("what an epilogue gives for rows", () => {
  it.each(some(Object.keys(outputPlans), 0))("by a plan: %s", async (name) => {
    const [plan, dtype, layout, size] = outputPlans[name] ?? [smallPlan, "f16", "nt", { m: 8, n: 8, k: 8 }];
    const { a, b } = operandsOf(device, dtype, layout, size);
    const memory = device.empty("f32", [size.m, 3]) as DeviceTensor<"f32", 2>;
    const [squares, top] = [memory.slice(undefined, [1, 2]), vector(size.m)];
    const outputs = { squares: { sum: squares }, top: { max: top } };
    const d = matmul(a, b, { epilogue: both, outputs, plan });
    expect(await distance(d, a, b)).toBeLessThan(1);
    expect(await farthest(a, b, squares, top)).toBeLessThan(1);
  });

  it("without a plan, of odd extents, onto a column and a line of other memory", rotating, async () => {
    const [m, n, k] = [5, 37, 75];
    const dense = (rows: number, columns: number, seed: number) =>
      device.tensor("bf16", [rows, columns], randn(rows * columns, seed)) as Matrix<"bf16">;
    const [a, b] = [dense(m, k, 1), dense(k, n, 2)];
    const memory = device.empty("f32", [m + 2, 3]) as DeviceTensor<"f32", 2>;
    memory.fill(7);
    const [squares, top] = [memory.slice([1, m + 1], [1, 2]), vector(m)];
    const d = matmul(a, b, { epilogue: both, outputs: { squares: { sum: squares }, top: { max: top } }, dtype: "f32" });
    expect(await distance(d, a, b)).toBeLessThan(1);
    expect(await farthest(a, b, squares, top)).toBeLessThan(1);
    const all = await memory.read();
    expect([...all].filter((value, i) => value !== 7 && (i % 3 !== 1 || i < 3 || i >= 3 * (m + 1)))).toEqual([]);
  });

  it("has the same bits each time, and is what a following product reads of its rows", rotating, async () => {
    const { a, b } = operandsOf(device, "f16", "nt", { m: 24, n: 72, k: 40 });
    const squares = device.empty("f32", [24, 1]) as DeviceTensor<"f32", 2>;
    const out = device.empty("f16", [24, 72]) as DeviceTensor<"f16", 2>;
    const of = helper((value: number) => ({ value, squares: value * value }));
    const run = () => matmul(a, b, { out, epilogue: of, outputs: { squares: { sum: squares } }, plan: smallPlan });
    run();
    const first = await squares.read();
    run();
    expect(await squares.read()).toEqual(first);
    const weights = rowsOf(device, "f16", 40, 72, 3).transpose(1, 0);
    const normed = helper((value: number, { squares }: { readonly squares: number }) => value / Math.sqrt(squares / 72 + 1e-6));
    const y = matmul(out, weights, { inputs: { squares }, epilogue: normed, plan: smallPlan });
    const scale = (row: number): number => Math.sqrt((first[row] ?? Number.NaN) / 72 + 1e-6);
    expect(await distance(y, out, weights, (value, row) => value / scale(row))).toBeLessThan(2);
  });

  it("for every M by one kernel", rotating, async () => {
    const kernels = new Set<unknown>();
    const { a, b } = operandsOf(device, "f16", "nt", { m: 72, n: 40, k: 40 });
    for (const m of [72, 3]) {
      const [rows, squares, top] = [a.slice([0, m]), vector(m), vector(m)];
      const outputs = { squares: { sum: squares }, top: { max: top } };
      const options = { plan: smallPlan, dynamicM: true, epilogue: both, outputs } as const;
      kernels.add(matmulKernel(rows, b, options).kernel);
      matmul(rows, b, options);
      expect(await farthest(rows, b, squares, top)).toBeLessThan(1);
    }
    expect(kernels.size).toBe(1);
  });

  it("in batches, and with alpha and what it reads", rotating, async () => {
    const [count, m, n, k] = [3, 24, 40, 40];
    const { b } = operandsOf(device, "f16", "nt", { m, n, k });
    for (const batch of [count, 1]) {
      const x = device.tensor("f16", [batch, m, k], randn(batch * m * k, 7)) as DeviceTensor<"f16", 3>;
      const [squares, top] = [device.empty("f32", [batch, m]), device.empty("f32", [batch, m, 1])];
      const bias = device.zeros("f32", [n]);
      const biased = helper((value: number, { bias }: { readonly bias: number }) => {
        const element = value + bias;
        return { value: element, squares: element * element + 1, top: 2 - element };
      });
      const outputs = { squares: { sum: squares }, top: { max: top } };
      matmul(x, b, { plan: smallPlan, epilogue: biased, inputs: { bias }, outputs, dynamicM: true, alpha: 1 });
      for (let i = 0; i < batch; i++) {
        const one = x.slice([i, i + 1]).reshape(m, k);
        const line = (of: DeviceTensor<"f32">) => of.slice([i, i + 1]).reshape(m) as DeviceTensor<"f32">;
        expect(await farthest(one, b, line(squares), line(top))).toBeLessThan(1);
      }
    }
  });

  it("keeps NaN, and -Infinity where there is nothing else", async () => {
    const { a, b } = operandsOf(device, "f16", "nt", { m: 8, n: 40, k: 16 });
    const [total, top] = [vector(8), vector(8)];
    const odd = helper((value: number, _: object, row: number, col: number) => {
      const number = row === 2 && col === 21 ? Number.NaN : row === 3 ? Number.NEGATIVE_INFINITY : value;
      return { value, total: number, top: number };
    });
    matmul(a, b, { epilogue: odd, outputs: { total: { sum: total }, top: { max: top } }, plan: smallPlan });
    const [sums, tops] = [await total.read(), await top.read()];
    expect([sums[2], tops[2]]).toEqual([Number.NaN, Number.NaN]);
    expect([sums[3], tops[3]]).toEqual([Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY]);
    expect([...sums, ...tops].filter((x) => Number.isFinite(x)).length).toBe(12);
  });

  it("of a gated pair", rotating, async () => {
    const size = { m: 40, n: 40, k: 40 };
    const { a, gate, up } = pairOf(device, "bf16", "nt", size);
    const total = vector(size.m);
    const of = helper((gate: number, up: number) => ({ value: gate * up, total: gate - up }));
    gatedMatmul(a, gate, up, { epilogue: of, outputs: { total: { sum: total } }, plan: smallPlan });
    const [got, gates, ups] = [await total.read(), await productsOf(a, gate), await productsOf(a, up)];
    for (const { row, sums, sizes } of gates) {
      const want = sums.reduce((sum, value, col) => sum + value - (ups[row]?.sums[col] ?? Number.NaN), 0);
      const near = sizes.reduce((sum, value, col) => sum + value + (ups[row]?.sizes[col] ?? 0), 0) * 2 ** -18;
      expect(Math.abs((got[row] ?? Number.NaN) - want)).toBeLessThan(near);
    }
  });

  it("finds a launch again by the same tensors", () => {
    const { a, b } = operandsOf(device, "f16", "nt", { m: 8, n: 16, k: 16 });
    const out = device.empty("f16", [8, 16]) as DeviceTensor<"f16", 2>;
    const [one, other] = [vector(8), vector(8)];
    const of = helper((value: number) => ({ value, rows: value }));
    const made = (output: { readonly sum: DeviceTensor<"f32"> } | { readonly max: DeviceTensor<"f32"> }) =>
      matmulKernel(a, b, { out, epilogue: of, outputs: { rows: output }, plan: smallPlan });
    const first = made({ sum: one });
    expect(made({ sum: one }).after[0]?.args).toBe(first.after[0]?.args);
    expect(made({ sum: other }).after[0]?.args).not.toBe(first.after[0]?.args);
    expect(made({ max: one }).kernel).not.toBe(first.kernel);
    expect(matmulKernel(a, b, { out, plan: smallPlan }).after).toEqual([]);
  });
});

/** What `argmax` says: the first of equal ones, and NaN is greater than all else. */
function columnOfMost(values: Float32Array): number {
  const nan = values.findIndex((value) => Number.isNaN(value));
  return nan >= 0 ? nan : values.indexOf(values.reduce((most, value) => Math.max(most, value), Number.NEGATIVE_INFINITY));
}

describe("the column of the greatest of a row", () => {
  /** Few values, so that many are equal; a row of -Infinity, and rows with NaN. */
  const odd = helper((value: number, { levels }: { readonly levels: number }, row: number, col: number) => {
    const coarse = Math.round(value * levels);
    const rowed = row === 3 ? Number.NEGATIVE_INFINITY : row === 4 && col >= 11 ? Number.NaN : row === 5 ? f32(col >> 2) : coarse;
    return { value: rowed, top: rowed, total: value };
  });

  const names = ["parts of K", ...Object.keys(outputPlans).filter((name) => name !== "parts of K")];
  it.each(some(names, 0))("by a plan: %s", async (name) => {
    const [plan, dtype, layout, size] = outputPlans[name] ?? [smallPlan, "f16", "nt", { m: 8, n: 8, k: 8 }];
    const { a, b } = operandsOf(device, dtype, layout, size);
    const [top, total] = [vector(size.m), vector(size.m)];
    const column = device.empty("i32", [size.m, 1]);
    column.fill(-1);
    const levels = device.tensor("f32", [size.n], new Float32Array(size.n).fill(0.25));
    const outputs = { total: { sum: total }, top: { max: top, column } };
    using d = matmul(a, b, { inputs: { levels }, epilogue: odd, outputs, plan, dtype: "f32" });
    const [elements, tops, columns] = [await d.read(), await top.read(), await column.read()];
    for (let row = 0; row < size.m; row++) {
      const line = elements.slice(row * size.n, (row + 1) * size.n);
      const want = columnOfMost(line);
      expect([row, columns[row], tops[row]]).toEqual([row, want, line[want]]);
    }
  });

  it("beside a batch, of odd extents, of many parts", rotating, async () => {
    const [count, m, n, k] = [2, 3, 536, 24];
    const x = device.tensor("f16", [count, m, k], randn(count * m * k, 7)) as DeviceTensor<"f16", 3>;
    const { b } = operandsOf(device, "f16", "nt", { m, n, k });
    const [top, column] = [device.empty("f32", [count, m]), device.empty("i32", [count, m])];
    const same = helper((value: number) => ({ value: Math.round(value), top: Math.round(value) }));
    const outputs = { top: { max: top, column } };
    const d = await matmul(x, b, { epilogue: same, outputs, plan: { ...smallPlan, tile: [64, 16] }, dtype: "f32" }).read();
    const columns = await column.read();
    for (let row = 0; row < count * m; row++) expect(columns[row]).toBe(columnOfMost(d.slice(row * n, (row + 1) * n)));
  });
});

describe("sums of rows with `invariant`", () => {
  it("have the same bits by each plan that is taken, and for each M", rotating, async () => {
    const [n, k] = [200, 72];
    const { a, b } = operandsOf(device, "f16", "nt", { m: 136, n, k });
    const wide: Plan = { ...smallPlan, tile: [128, 128], consumers: 2 };
    const plans = [
      [smallPlan, false],
      [{ ...wide, cluster: [1, 2] }, true],
      [wide, true],
      [{ ...smallPlan, tile: [64, 192] }, false],
      [undefined, false],
    ] as const;
    const found = new Set<string>();
    for (const [i, [plan, dynamicM]] of some(plans, 2).entries()) {
      const rows = plan ? a : a.slice([0, 5]);
      const [squares, top] = [vector(rows.shape[0]), vector(rows.shape[0])];
      const outputs = { squares: { sum: squares }, top: { max: top } };
      matmul(rows, b, { epilogue: both, outputs, invariant: true, ...(plan ? { plan } : {}), dynamicM });
      if (i === 0) expect(await farthest(rows, b, squares, top)).toBeLessThan(1);
      found.add((await squares.read()).subarray(0, 5).join());
    }
    expect(found.size).toBe(1);
  });

  it("refuse a tile that other sums would come from", () => {
    const { a, b } = operandsOf(device, "f16", "nt", { m: 8, n: 16, k: 16 });
    const options = { epilogue: both, invariant: true, plan: { ...smallPlan, tile: [64, 48] } } as const;
    const [squares, top] = [vector(8), vector(8)];
    const call = (squares: MatmulOutput) => () => matmul(a, b, { ...options, outputs: { squares, top: { max: top } } });
    expect(call({ sum: squares })).toThrow(/W7613 .*multiple of 64 columns where a row's sums/);
    expect(call({ max: squares })).not.toThrow();
  });
});

describe("of what an epilogue gives for rows is refused", () => {
  const of = helper((value: number) => ({ value, rows: value }));
  const call = (outputs: unknown, more: object = {}) => {
    const { a, b } = operandsOf(device, "f16", "nt", { m: 8, n: 16, k: 16 });
    return () => matmul(a, b, { epilogue: of, outputs, plan: smallPlan, ...more } as never);
  };

  it("what does not fit, before anything runs", () => {
    expect(call({ rows: { sum: vector(8) } }, { epilogue: undefined })).toThrow(
      /W7695 .*no epilogue that gives the outputs rows/,
    );
    expect(call({ rows: vector(8) })).toThrow(/W7696 .*\[8, 16\]; or \{ sum: tensor \} or \{ max: tensor \}/);
    expect(call(vector(8))).toThrow(/W7696 .*outputs is a tensor;/);
    expect(call({ rows: null })).toThrow(/W7696 .*output rows is null/);
    expect(call({ rows: { max: vector(8), column: vector(8) } })).toThrow(
      /W7696 .*rows.column is a tensor of f32.* of i32, \[8\] or \[8, 1\]/,
    );
    expect(call({ rows: { max: vector(8), column: 3 } })).toThrow(/W7601 .*The output rows.column/);
    expect(call({ rows: { sum: vector(8), column: device.empty("i32", [8]) } })).toThrow(/W7696 .*an object with sum, column/);
    expect(call({ rows: { sum: vector(8), max: vector(8) } })).toThrow(/W7696 .*an object with sum, max/);
    expect(call({ rows: {} })).toThrow(/W7696 .*an object with nothing/);
    expect(call(3)).toThrow(/W7696 .*outputs is 3/);
    expect(call({ rows: { sum: vector(16) } })).toThrow(/W7696 .*\[8\] or \[8, 1\]/);
    expect(call({ rows: { sum: device.empty("f16", [8]) } })).toThrow(/W7696 .*of f16/);
    expect(call({ rows: { sum: 3 } })).toThrow(/W7601 .*The output rows/);
    expect(call({ value: { sum: vector(8) } })).toThrow(/W7697/);
    const one = vector(8);
    expect(call({ rows: { sum: one }, more: { max: one } })).toThrow(/W7698 .*more shares memory with the output rows/);
    const out = device.empty("f32", [8, 16]) as DeviceTensor<"f32", 2>;
    expect(call({ rows: { sum: out.slice(undefined, [3, 4]) } }, { out })).toThrow(/W7698 .*out/);
  });

  it.each([
    ["a number", helper((value: number) => value), /gives a number for an element/],
    ["nothing", helper(() => {}), /gives nothing/],
    ["an object without it", helper((value: number) => ({ value })), /gives an object without a number rows/],
    ["more than is asked for", helper((value: number) => ({ value, rows: value, row: 1 })), /W7707 .*gives row .*it has rows/],
    ["a truth value", helper((value: number) => ({ value, rows: value > 0 })), /gives an object without a number rows/],
  ] as const)("an epilogue that gives %s", (_, epilogue, said) => {
    expect(call({ rows: { sum: vector(8) } }, { epilogue })).toThrow(said);
    expect(call({ rows: { sum: vector(8) } }, { epilogue })).toThrow(/W7695|W7707/);
  });
});
