import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Device, type DeviceTensor, helper, openDevice } from "warpsmith";
import { matmul, type Plan } from "warpsmith/kernels";
import { randn } from "warpsmith/testing";
import { distance, type Half, layouts, operandsOf, rowsOf, smallPlan } from "./products.ts";

let device: Device;
beforeAll(async () => {
  device = await openDevice("emulator", { check: "strict" });
});
afterAll(() => device.dispose());

const plan = smallPlan;
const size = { m: 72, n: 40, k: 24 };
const { m, n } = size;

const vector = <D extends Half | "f32">(dtype: D, shape: readonly [number] | readonly [number, number], seed: number) =>
  device.tensor(dtype, shape, randn(m + n, seed).subarray(0, shape[0] * (shape[1] ?? 1)) as never);
/** The numbers of a tensor on the host. */
const numbers = async (tensor: DeviceTensor<Half | "f32">): Promise<readonly number[]> => [...(await tensor.read())];

const linear = helper(
  (value: number, { bias, residual }: { readonly bias: number; readonly residual: number }) =>
    Math.max(value + bias, 0) + residual,
);

/** relu(a @ b + bias) + residual, by a plan. */
async function checkLinear(dtype: Half, layout: (typeof layouts)[number], plan: Plan): Promise<void> {
  const { a, b } = operandsOf(device, dtype, layout, size);
  const [bias, residual] = [vector(dtype, [n], 3), rowsOf(device, dtype, m, n, 4)];
  const out = matmul(a, b, { inputs: { bias, residual }, epilogue: linear, plan });
  const [c, r] = [await numbers(bias), await numbers(residual)];
  const finish = (value: number, row: number, col: number) => Math.max(value + (c[col] ?? 0), 0) + (r[row * n + col] ?? 0);
  expect(await distance(out, a, b, finish)).toBeLessThan(1);
}

describe("an epilogue", () => {
  it.each(layouts.map((layout, i) => [layout, i % 2 === 0 ? "f16" : "bf16"] as const))(
    "relu of a bias and a residual: %s, %s",
    async (layout, dtype) => checkLinear(dtype, layout, plan),
  );

  const plans: Readonly<Record<string, Plan>> = {
    pingpong: { ...plan, consumers: 2, schedule: "pingpong", wait: 1 },
    cooperative: { ...plan, tile: [128, 64], consumers: 2, stores: "warp" },
    "split tail": { ...plan, tile: [128, 64], splitTail: true },
    cluster: { ...plan, cluster: [2, 1] },
  };
  it.each(Object.keys(plans))("by a plan: %s", async (name) => checkLinear("f16", "nt", plans[name] ?? plan));

  it("reads tensors of other types, by column as [N] and [1, N], by row as [M, 1], and several of [M, N]", async () => {
    const { a, b } = operandsOf(device, "f16", "nt", size);
    const inputs = {
      column: vector("f32", [n], 3),
      other: vector("bf16", [1, n], 4),
      row: vector("f32", [m, 1], 5),
      wide: device.tensor("f32", [m, n], randn(m * n, 6)),
      first: rowsOf(device, "f16", m, n, 7),
      second: rowsOf(device, "f16", n, m, 8).transpose(1, 0),
    };
    const epilogue = helper(
      (value: number, of: { readonly [K in keyof typeof inputs]: number }) =>
        (value + of.column) * of.row + of.other + of.wide + of.first * 2 + of.second * 4,
    );
    const out = matmul(a, b, { inputs, epilogue, plan });
    const read = Object.fromEntries(
      await Promise.all(Object.entries(inputs).map(async ([k, t]) => [k, await numbers(t)] as const)),
    );
    const finish = (value: number, row: number, col: number) => {
      const at = (name: keyof typeof inputs, i: number) => read[name]?.[i] ?? Number.NaN;
      const i = row * n + col;
      return (
        (value + at("column", col)) * at("row", row) + at("other", col) + at("wide", i) + at("first", i) * 2 + at("second", i) * 4
      );
    };
    expect(await distance(out, a, b, finish)).toBeLessThan(8);
  });

  it("reads inputs of any name, those that every object has among them", async () => {
    const { a, b } = operandsOf(device, "f16", "nt", size);
    const inputs = {
      constructor: vector("f32", [n], 3),
      toString: vector("f32", [m, 1], 4),
      ["__proto__"]: vector("f32", [m, 1], 5),
      valueOf: rowsOf(device, "f16", m, n, 6),
      hasOwnProperty: rowsOf(device, "f16", m, n, 7),
      "": vector("f32", [n], 8),
    } as unknown as Readonly<Record<string, DeviceTensor<"f16" | "f32">>>;
    const names = Object.keys(inputs);
    const epilogue = helper((value: number, of: Readonly<Record<string, number>>) =>
      names.reduce((sum, name) => sum + (of[name] ?? 0), value),
    );
    const read = await Promise.all(Object.values(inputs).map(numbers));
    const finish = (value: number, row: number, col: number) =>
      read.reduce((sum, given) => sum + (given[given.length === n ? col : given.length === m ? row : row * n + col] ?? 0), value);
    expect(await distance(matmul(a, b, { inputs, epilogue, plan }), a, b, finish)).toBeLessThan(4);
  });

  it.each([
    ["nothing", helper(() => {}), "W7615"],
    ["a boolean", helper((value: number) => value > 0), "W7615"],
    ["a string", helper(() => "1"), "W7615"],
    ["an object", helper((value: number) => ({ value })), "W7615"],
    ["a number that f32 has not", helper(() => 1e300), "W2004"],
  ] as const)("that gives %s is refused at the call", (given, fn, code) => {
    const { a, b } = operandsOf(device, "f16", "nt", size);
    const epilogue = fn as () => number;
    const call = () => matmul(a, b, { epilogue, plan });
    expect(call).toThrow(code === "W7615" ? `W7615  The epilogue gives ${given} for an element` : code);
    expect(call).toThrow(
      expect.objectContaining({
        spans: expect.arrayContaining([expect.objectContaining({ file: expect.stringContaining("epilogue.long.test.ts") })]),
      }),
    );
  });

  it("knows the row and the column, and constants around it", async () => {
    const { a, b } = operandsOf(device, "bf16", "nn", size);
    const limit = 3;
    const epilogue = helper((value: number, _: object, row: number, col: number) => (col > row + limit ? 0 : value));
    const out = matmul(a, b, { epilogue, plan });
    expect(await distance(out, a, b, (value, row, col) => (col > row + limit ? 0 : value))).toBeLessThan(1);
  });

  it("may leave the product aside", async () => {
    const { a, b } = operandsOf(device, "f16", "nt", size);
    expect(new Set(await matmul(a, b, { epilogue: helper(() => 2), plan }).read())).toEqual(new Set([2]));
  });

  it.each(["f16", "f32"] as const)("adds to what the result holds already, where an input of %s is the result", async (dtype) => {
    const { a, b } = operandsOf(device, "f16", "nt", size);
    const x = rowsOf(device, "f16", m, n, 9);
    const before = await numbers(x);
    const sum = helper((value: number, of: { readonly x: number; readonly more: number }) => value + of.x + of.more);
    matmul(a, b, { out: x, inputs: { x, more: device.zeros(dtype, [m, n]) }, epilogue: sum, plan });
    expect(await distance(x, a, b, (value, row, col) => value + (before[row * n + col] ?? 0))).toBeLessThan(1);
  });

  it.each(["f16", "bf16"] as const)("adds to the result of %s, whatever other input of [M, N] comes first", async (dtype) => {
    const { a, b } = operandsOf(device, dtype, "nt", size);
    const [x, more] = [rowsOf(device, dtype, m, n, 9), rowsOf(device, dtype, m, n, 10)];
    const [before, added] = [await numbers(x), await numbers(more)];
    const sum = helper(
      (value: number, of: { readonly more: number; readonly x: number; readonly again: number }) =>
        value + of.more + of.x + of.again,
    );
    matmul(a, b, { out: x, inputs: { more, x, again: x }, epilogue: sum, plan });
    const finish = (value: number, row: number, col: number) =>
      value + (added[row * n + col] ?? 0) + 2 * (before[row * n + col] ?? 0);
    expect(await distance(x, a, b, finish)).toBeLessThan(1);
  });

  it.each([
    { tile: [64, 16], blocks: 6 },
    { tile: [64, 80], blocks: 1 },
    { tile: [64, 144], blocks: 2 },
    { tile: [64, 48], blocks: 2, consumers: 2, schedule: "pingpong" },
    { tile: [64, 208], blocks: 2, consumers: 2, schedule: "pingpong" },
    { tile: [128, 80], blocks: 3, splitTail: true },
  ] as const)("adds to the result by tiles beside which lie others in the same 64 columns: %o", async (by) => {
    await using lazy = await openDevice("emulator", { check: "strict", schedule: "lazy" });
    const wide = { m: 72, n: 2 * by.tile[1] + 8, k: 24 };
    const { a, b } = operandsOf(lazy, "f16", "nt", wide);
    const x = rowsOf(lazy, "f16", wide.m, wide.n, 9);
    const before = await numbers(x);
    const sum = helper((value: number, of: { readonly x: number }) => value + of.x);
    matmul(a, b, { out: x, inputs: { x }, epilogue: sum, plan: { ...plan, stages: 3, ...by } });
    expect(await distance(x, a, b, (value, row, col) => value + (before[row * wide.n + col] ?? 0))).toBeLessThan(1);
  });

  it("whose columns leave no room for barriers is refused by the plan", () => {
    const { a, b } = operandsOf(device, "f16", "nt", size);
    const names = ["p", "q", "r"];
    const inputs = Object.fromEntries(names.map((name, i) => [name, vector("f32", [n], 3 + i)]));
    const sum = helper((value: number, of: Readonly<Record<string, number>>) =>
      names.reduce((total, name) => total + (of[name] ?? 0), value),
    );
    const by = (rest: Partial<Plan>) => () => matmul(a, b, { inputs, epilogue: sum, plan: { ...plan, consumers: 2, ...rest } });
    expect(by({ tile: [128, 128], stages: 4, buffers: 6 })).toThrow("W7614  This plan takes 232512 bytes");
    expect(by({ tile: [128, 128], stages: 4, buffers: 5 })).not.toThrow();
  });

  it("stores where TMA cannot: odd columns", async () => {
    const { a, b } = operandsOf(device, "f16", "nt", { ...size, n: 37 });
    const inputs = { bias: vector("f16", [37], 3), residual: rowsOf(device, "f16", m, 37, 4) };
    const [c, r] = [await numbers(inputs.bias), await numbers(inputs.residual)];
    const out = matmul(a, b, { inputs, epilogue: linear, plan });
    const finish = (value: number, row: number, col: number) => Math.max(value + (c[col] ?? 0), 0) + (r[row * 37 + col] ?? 0);
    expect(await distance(out, a, b, finish)).toBeLessThan(1);
  });
});
