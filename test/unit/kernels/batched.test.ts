import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Device, type DeviceTensor, helper, openDevice } from "warpsmith";
import { matmul, matmulKernel, type Plan } from "warpsmith/kernels";
import { randn } from "warpsmith/testing";
import { rotating, some } from "../../support/amount.ts";
import { distance, type Finish, type Half, type Layout, type Matrix, smallPlan } from "./products.ts";

let device: Device;
beforeAll(async () => {
  device = await openDevice("emulator", { check: "strict" });
});
afterAll(() => device.dispose());

type Batch<D extends Half = Half> = DeviceTensor<D, 3>;

const plans: Readonly<Record<string, Plan>> = {
  "along a curve": { ...smallPlan, order: "hilbert", cluster: [1, 2] },
  small: smallPlan,
  "in turns": { ...smallPlan, consumers: 2, schedule: "pingpong", wait: 1, stores: "warp" },
  together: { ...smallPlan, tile: [128, 64], consumers: 2, wait: 1, stages: 3 },
  "parts of K": { ...smallPlan, splits: 2, stores: "warp" },
  "halves of the last wave": { ...smallPlan, tile: [128, 64], cluster: [2, 1], splitTail: true, blocks: 2 },
};

/** Rows begin at multiples of 16 bytes, matrices follow each other. */
function batchOf<D extends Half>(
  dtype: D,
  [count, rows, columns]: readonly [number, number, number],
  seed: number,
  wide = 0,
): Batch<D> {
  const pitch = Math.ceil(columns / 8) * 8 + wide;
  const memory = device.tensor(dtype, [count, rows, pitch], randn(count * rows * pitch, seed) as never) as Batch<D>;
  return memory.slice(undefined, undefined, [0, columns]);
}

function operands<D extends Half>(dtype: D, layout: Layout, count: number, [m, n, k]: readonly [number, number, number]) {
  const one = (turned: boolean, rows: number, columns: number, seed: number): Batch<D> =>
    turned ? batchOf(dtype, [count, columns, rows], seed).transpose(0, 2, 1) : batchOf(dtype, [count, rows, columns], seed);
  return { a: one(layout[0] === "t", m, k, 1), b: one(layout[1] === "t", k, n, 2) };
}

const oneOf = <T extends Half | "f32">(x: DeviceTensor<T, 2> | DeviceTensor<T, 3>, i: number): DeviceTensor<T, 2> => {
  if (x.rank === 2) return x as DeviceTensor<T, 2>;
  const at = x.shape[0] === 1 ? 0 : i;
  return x.slice([at, at + 1]).reshape(...(x.shape.slice(1) as [number, number]));
};

/** The largest of all products. */
async function distances(
  d: DeviceTensor<Half | "f32", 3>,
  a: Batch,
  b: Batch | Matrix,
  finish: (batch: number) => Finish = () => (value) => value,
): Promise<number> {
  let worst = 0;
  for (let i = 0; i < d.shape[0]; i++) worst = Math.max(worst, await distance(oneOf(d, i), oneOf(a, i), oneOf(b, i), finish(i)));
  return worst;
}

describe("a batch of products", () => {
  /** More than one tile of each product, and a product less than a tile. */
  const sizes = [
    [2, 136, 72, 136],
    [3, 72, 40, 88],
  ] as const;
  const ways = Object.keys(plans).flatMap((name) => sizes.map((size) => [name, ...size] as const));
  it.each(some(ways, 0))("by a plan: %s, %d of %d x %d x %d", async (name, count, ...size) => {
    const { a, b } = operands("f16", "nt", count, size);
    expect(await distances(matmul(a, b, { plan: plans[name] ?? smallPlan }), a, b)).toBeLessThan(1);
  });

  it.each(["nn", "tn", "tt"] as const)("%s", rotating, async (layout) => {
    const { a, b } = operands("bf16", layout, 3, [72, 40, 88]);
    expect(await distances(matmul(a, b, { plan: smallPlan, dtype: "f32" }), a, b)).toBeLessThan(1);
  });

  it.each(some(["tn", "nn", "tt"] as const, 0))("%s, without a plan", async (layout) => {
    const { a, b } = operands("bf16", layout, 3, [72, 40, 88]);
    expect(await distances(matmul(a, b), a, b)).toBeLessThan(1);
  });

  it("with one matrix for all of them: [1, K, N], [K, N], [1, M, K]; and of one", async () => {
    const { a, b } = operands("f16", "nt", 3, [24, 24, 24]);
    const plan = smallPlan;
    for (const one of [b.slice([1, 2]), oneOf(b, 2)]) expect(await distances(matmul(a, one, { plan }), a, one)).toBeLessThan(1);
    const first = a.slice([2, 3]);
    expect(await distances(matmul(first, b, { plan }), first, b)).toBeLessThan(1);
    const d = matmul(first, oneOf(b, 0), { plan });
    expect(d.shape).toEqual([1, 24, 24]);
    expect(await distances(d, first, oneOf(b, 0))).toBeLessThan(1);
  });

  it("of heads that lie side by side, onto heads that do, touching nothing beside them", async () => {
    const [heads, tokens, columns] = [3, 72, 64];
    const all = device.tensor("bf16", [tokens, 4, columns], randn(tokens * 4 * columns, 3)) as Batch<"bf16">;
    const a = all.slice(undefined, [1, 4]).transpose(1, 0, 2);
    const b = batchOf("bf16", [heads, columns, 40], 4);
    const memory = device.tensor("bf16", [tokens, 4, 40], new Float32Array(tokens * 4 * 40).fill(5)) as Batch<"bf16">;
    const out = memory.slice(undefined, [0, 3]).transpose(1, 0, 2);
    expect(matmul(a, b, { out, plan: smallPlan })).toBe(out);
    expect(await distances(out, a, b)).toBeLessThan(1);
    expect(new Set(await memory.slice(undefined, [3, 4]).read())).toEqual(new Set([5]));
  });

  it("whose lines begin anywhere, by copies", rotating, async () => {
    const tensor = (shape: readonly [number, number, number], seed: number) =>
      device.tensor("f16", [...shape], randn(shape[0] * shape[1] * shape[2], seed)) as Batch<"f16">;
    const [a, b] = [tensor([3, 40, 75], 1), tensor([3, 75, 32], 2)];
    const out = device.empty("f16", [3, 40, 40]).slice(undefined, undefined, [0, 32]);
    matmul(a, b, { out, plan: smallPlan });
    expect(await distances(out, a, b)).toBeLessThan(1);
  });

  const sum = helper(
    (value: number, { bias, scale, residual }: { readonly bias: number; readonly scale: number; readonly residual: number }) =>
      value * scale + bias + residual,
  );

  it.each(some(["f32", "f16"] as const, 0))("with what an epilogue reads, elements of %s, and alpha", async (dtype) => {
    const [count, m, n] = [3, 72, 40];
    const { a, b } = operands("f16", "nt", count, [m, n, 24]);
    const [bias, scale, added] = [randn(n, 3), randn(count * m, 4), randn(count * m * n, 5)];
    const residual = device.tensor(dtype, [count, m, n], added);
    const inputs = { bias: device.tensor("f32", [n], bias), scale: device.tensor("f32", [count, m, 1], scale), residual };
    const r = await residual.read();
    const plan = dtype === "f16" ? plans["in turns"] : plans["halves of the last wave"];
    const d = matmul(a, b, { inputs, epilogue: sum, plan: plan ?? smallPlan, alpha: 0.5, dynamicM: true });
    const at = (x: ArrayLike<number>, i: number): number => x[i] ?? Number.NaN;
    const finish = (i: number) => (value: number, row: number, col: number) =>
      0.5 * value * at(scale, i * m + row) + at(bias, col) + at(r, (i * m + row) * n + col);
    expect((await distances(d, a, b, finish)) / 8).toBeLessThan(1);
  });

  it("by one kernel for every M", rotating, async () => {
    const kernels = new Set<unknown>();
    for (const m of some([136, 3, 72], 2)) {
      const { a, b } = operands("f16", m === 72 ? "tt" : "nt", 3, [m, 40, 88]);
      const options = { plan: smallPlan, dynamicM: true };
      if (m !== 72) kernels.add(matmulKernel(a, b, options).kernel);
      expect(await distances(matmul(a, b, options), a, b)).toBeLessThan(1);
    }
    expect(kernels.size).toBe(1);
  });
});

describe("of a batch is refused", () => {
  it("what it cannot do yet, and what does not fit", () => {
    const { a, b } = operands("f16", "nt", 3, [72, 40, 88]);
    const out = device.zeros("f16", [3, 72, 40]);
    expect(() => matmul(a, b, { out, beta: 1 })).toThrow(/W7674 .*beta/);
    const add = helper((value: number, { old }: { readonly old: number }) => value + old);
    expect(() => matmul(a, b, { out, inputs: { old: out }, epilogue: add })).toThrow(/W7674 .*the input old/);
    expect(() => matmul(a, b, { out: device.zeros("f16", [2, 72, 40]) })).toThrow(/W7606 .*\[3, 72, 40\]/);
    expect(() => matmul(a, b.slice([0, 2]))).toThrow(/W7671/);
    expect(() => matmul(oneOf(a, 0), b as never)).toThrow(/W7671/);
    expect(() => matmul(a, device.zeros("f16", [3, 88, 41]))).toThrow(/W7673 .*\[3, 72, 41\]/);
    // TMA would write on to the next 16 bytes, over what is beside the slice.
    const beside = device.empty("f16", [3, 72, 48]).slice(undefined, undefined, [0, 41]);
    expect(() => matmul(a, device.zeros("f16", [3, 88, 41]), { out: beside })).toThrow(/W7673/);
    expect(() => matmul(a, b, { out: a.slice(undefined, undefined, [0, 40]) })).toThrow(/W7608/);
    const odd = device.zeros("f16", [3, 80, 75]).slice(undefined, [0, 72]);
    expect(() => matmul(odd, device.zeros("f16", [3, 75, 40]), { plan: smallPlan })).toThrow(/W7672/);
  });
});
