import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Device, helper, openDevice } from "warpsmith";
import { matmul, matmulKernel, type Plan } from "warpsmith/kernels";
import { randn } from "warpsmith/testing";
import { distance, operandsOf, smallPlan as plan, rowsOf, type Size } from "./products.ts";

let device: Device;
beforeAll(async () => {
  device = await openDevice("emulator", { check: "strict" });
});
afterAll(() => device.dispose());

const ragged: Size = { m: 72, n: 40, k: 88 };
const plans: Readonly<Record<string, Plan>> = {
  small: plan,
  "in turns": { ...plan, consumers: 2, schedule: "pingpong", wait: 1, stores: "warp" },
  together: { ...plan, tile: [128, 64], consumers: 2, wait: 1 },
  halves: { ...plan, consumers: 1, splits: 2, stores: "warp" },
};

describe("a result of another type than the operands", () => {
  it.each(Object.keys(plans))("f32, by a plan: %s", async (name) => {
    const { a, b } = operandsOf(device, "f16", "nt", { ...ragged, m: 136 });
    const product = matmul(a, b, { dtype: "f32", plan: plans[name] ?? plan });
    expect(product.dtype).toBe("f32");
    expect(await distance(product, a, b)).toBeLessThan(1);
  });

  it("that of out: f32, and f16 of bf16; rows that TMA cannot store", async () => {
    const { a, b } = operandsOf(device, "bf16", "nn", ragged);
    for (const dtype of ["f32", "f16"] as const) {
      const out = device.empty(dtype, [ragged.m, ragged.n]);
      matmul(a, b, { out, plan });
      expect(await distance(out, a, b)).toBeLessThan(1);
      const wide = device.zeros(dtype, [ragged.m, ragged.n + 3]).slice(undefined, [1, ragged.n + 1]);
      matmul(a, b, { out: wide, dtype, plan });
      expect(await distance(wide, a, b)).toBeLessThan(1);
    }
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
  it.each(["f16", "f32"] as const)("alpha a @ b + beta out of %s, other numbers by the same kernel", async (dtype) => {
    const { a, b } = operandsOf(device, "f16", "nt", ragged);
    const { m, n } = ragged;
    const before = randn(m * n, 7);
    const out = device.tensor(dtype, [m, n], before);
    const kernels = [{ alpha: 0.5, beta: -2 }, { alpha: -1, beta: 0.25 }, { beta: 1 }].map(
      (numbers) => matmulKernel(a, b, { out, plan, ...numbers }).kernel,
    );
    expect(new Set(kernels).size).toBe(1);
    for (const { alpha = 1, beta } of [{ alpha: 0.5, beta: -2 }, { alpha: -1, beta: 0.25 }, { beta: 1 }]) {
      out.write(before);
      const held = await out.read();
      matmul(a, b, { out, plan, ...(alpha === 1 ? {} : { alpha }), beta });
      const finish = (value: number, row: number, col: number) => alpha * value + beta * (held[row * n + col] ?? 0);
      expect(await distance(out, a, b, finish)).toBeLessThan(1);
    }
  });

  it("out is not read where beta is 0, and need not be given", async () => {
    const { a, b } = operandsOf(device, "f16", "nt", ragged);
    const out = device.empty("f16", [ragged.m, ragged.n]);
    out.fill(Number.NaN);
    matmul(a, b, { out, plan, alpha: 2, beta: 0 });
    expect(await distance(out, a, b, (value) => 2 * value)).toBeLessThan(1);
    expect(await distance(matmul(a, b, { plan, alpha: -0.5 }), a, b, (value) => -0.5 * value)).toBeLessThan(1);
  });

  it("come before an epilogue, which may read out, too; by parts of K, and onto rows that TMA cannot store", async () => {
    const { a, b } = operandsOf(device, "f16", "nt", ragged);
    const { m, n } = ragged;
    const twice = helper((value: number, { previous }: { readonly previous: number }) => Math.max(value, 0) + 2 * previous);
    const memory = device.tensor("f16", [m, n + 3], randn(m * (n + 3), 7));
    for (const [out, by] of [
      [device.tensor("f16", [m, n], randn(m * n, 8)), plan],
      [device.tensor("f16", [m, n], randn(m * n, 8)), plans.halves],
      [memory.slice(undefined, [1, n + 1]), plan],
    ] as const) {
      const held = await out.read();
      matmul(a, b, { out, plan: by ?? plan, alpha: 3, beta: -1, inputs: { previous: out }, epilogue: twice });
      const finish = (value: number, row: number, col: number) =>
        Math.max(3 * value - (held[row * n + col] ?? 0), 0) + 2 * (held[row * n + col] ?? 0);
      expect((await distance(out, a, b, finish)) / 3).toBeLessThan(1); // alpha also grows what the sum is off
    }
  });
});
