import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Device, helper, openDevice } from "warpsmith";
import { matmul, matmulKernel, type Plan } from "warpsmith/kernels";
import { randn } from "warpsmith/testing";
import { rotating, some } from "../../support/amount.ts";
import { distance, operandsOf, smallPlan as plan, rowsOf, type Size } from "./products.ts";

let device: Device;
beforeAll(async () => {
  device = await openDevice("emulator", { check: "strict" });
});
afterAll(() => device.dispose());

const ragged: Size = { m: 72, n: 40, k: 88 };
const plans: Readonly<Record<string, Plan>> = {
  together: { ...plan, tile: [128, 64], consumers: 2, wait: 1 },
  small: plan,
  "in turns": { ...plan, consumers: 2, schedule: "pingpong", wait: 1, stores: "warp" },
  halves: { ...plan, consumers: 1, splits: 2, stores: "warp" },
};

describe("a result of another type than the operands", () => {
  it.each(some(Object.keys(plans), 1))("f32, by a plan: %s", async (name) => {
    const { a, b } = operandsOf(device, "f16", "nt", { ...ragged, m: 136 });
    const product = matmul(a, b, { dtype: "f32", plan: plans[name] ?? plan });
    expect(product.dtype).toBe("f32");
    expect(await distance(product, a, b)).toBeLessThan(1);
  });

  it.each(
    some(
      [
        ["f16", 0],
        ["f32", 3],
        ["f32", 0],
        ["f16", 3],
      ] as const,
      1,
    ),
  )("that of out: %s of bf16, in rows %d longer", async (dtype, more) => {
    const { a, b } = operandsOf(device, "bf16", "nn", ragged);
    const begin = more === 0 ? 0 : 1;
    const out = device.zeros(dtype, [ragged.m, ragged.n + more]).slice(undefined, [begin, ragged.n + begin]);
    matmul(a, b, { out, plan });
    expect(await distance(out, a, b)).toBeLessThan(1);
  });

  it("without a plan, and with an epilogue that reads", async () => {
    const { a, b } = operandsOf(device, "f16", "nt", { m: 40, n: 24, k: 16 });
    const residual = rowsOf(device, "f16", 40, 24, 5);
    const add = helper((value: number, { residual }: { readonly residual: number }) => value + residual);
    const product = matmul(a, b, { dtype: "f32", epilogue: add, inputs: { residual } });
    const r = await residual.read();
    expect(await distance(product, a, b, (value, row, col) => value + (r[row * 24 + col] ?? 0))).toBeLessThan(1);
  });
});

describe("alpha and beta", () => {
  const numbers = [{ alpha: 0.5, beta: -2 }, { beta: 1 }, { alpha: -1, beta: 0.25 }];
  const pairs = (["f32", "f16"] as const).flatMap((dtype) => numbers.map(({ alpha = 1, beta }) => [alpha, beta, dtype] as const));
  it.each(some(pairs, 0))("%d a @ b + %d out of %s, other numbers by the same kernel", async (alpha, beta, dtype) => {
    const { a, b } = operandsOf(device, "f16", "nt", ragged);
    const { m, n } = ragged;
    const before = randn(m * n, 7);
    const out = device.tensor(dtype, [m, n], before);
    const kernels = numbers.map((given) => matmulKernel(a, b, { out, plan, ...given }).kernel);
    expect(new Set(kernels).size).toBe(1);
    const held = await out.read();
    matmul(a, b, { out, plan, ...(alpha === 1 ? {} : { alpha }), beta });
    const finish = (value: number, row: number, col: number) => alpha * value + beta * (held[row * n + col] ?? 0);
    expect(await distance(out, a, b, finish)).toBeLessThan(1);
  });

  it("out is not read where beta is 0, and need not be given", async () => {
    const { a, b } = operandsOf(device, "f16", "nt", ragged);
    const out = device.empty("f16", [ragged.m, ragged.n]);
    out.fill(Number.NaN);
    matmul(a, b, { out, plan, alpha: 2, beta: 0 });
    expect(await distance(out, a, b, (value) => 2 * value)).toBeLessThan(1);
    expect(await distance(matmul(a, b, { plan, alpha: -0.5 }), a, b, (value) => -0.5 * value)).toBeLessThan(1);
  });

  it(
    "come before an epilogue, which may read out, too; by parts of K, and onto rows that TMA cannot store",
    rotating,
    async () => {
      const { a, b } = operandsOf(device, "f16", "nt", ragged);
      const { m, n } = ragged;
      const twice = helper((value: number, { previous }: { readonly previous: number }) => Math.max(value, 0) + 2 * previous);
      const memory = device.tensor("f16", [m, n + 3], randn(m * (n + 3), 7));
      const ways = [
        [device.tensor("f16", [m, n], randn(m * n, 8)), plans.halves],
        [memory.slice(undefined, [1, n + 1]), plan],
        [device.tensor("f16", [m, n], randn(m * n, 8)), plan],
      ] as const;
      for (const [out, by] of some(ways, 1)) {
        const held = await out.read();
        matmul(a, b, { out, plan: by ?? plan, alpha: 3, beta: -1, inputs: { previous: out }, epilogue: twice });
        const finish = (value: number, row: number, col: number) =>
          Math.max(3 * value - (held[row * n + col] ?? 0), 0) + 2 * (held[row * n + col] ?? 0);
        expect((await distance(out, a, b, finish)) / 3).toBeLessThan(1); // alpha also grows what the sum is off
      }
    },
  );
});
