import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Device, helper, openDevice } from "warpsmith";
import { matmul, matmulKernel, type Plan } from "warpsmith/kernels";
import { randn } from "warpsmith/testing";
import { rotating, some } from "../../support/amount.ts";
import { distance, type Layout, operandsOf, rowsOf, smallPlan } from "./products.ts";

let device: Device;
beforeAll(async () => {
  device = await openDevice("emulator", { check: "strict" });
});
afterAll(() => device.dispose());

const [n, k] = [72, 136];
const plans: Readonly<Record<string, Plan>> = {
  "halves of the last wave": { ...smallPlan, tile: [128, 64], cluster: [2, 1], splitTail: true, blocks: 2 },
  small: smallPlan,
  "in turns": { ...smallPlan, consumers: 2, schedule: "pingpong", wait: 1, stores: "warp" },
  together: { ...smallPlan, tile: [128, 64], consumers: 2, wait: 1, stages: 3 },
  "parts of K": { ...smallPlan, splits: 2, stores: "warp" },
  "along a curve": { ...smallPlan, order: "hilbert", cluster: [1, 2] },
};

type Operands = ReturnType<typeof operandsOf>;

/** How often a kernel that calls it was traced: a function of the host runs then. */
function counting() {
  let traced = 0;
  const one = (): number => {
    traced++;
    return 1;
  };
  return { epilogue: helper((value: number) => value * one()), traced: () => traced };
}

describe("a kernel for every M", () => {
  /** One list of all pairs: of two lists that are thinned each by itself, no run would take some pairs. */
  const byPlan = Object.entries(plans).flatMap(([name, plan]) => [
    { name, plan, rows: [40, 64] },
    { name, plan, rows: [1, 200, 136] },
  ]);
  it.each(some(byPlan, 0))("by a plan: $name, rows $rows", async ({ plan, rows }) => {
    const kernels = new Set<unknown>();
    for (const m of rows) {
      const { a, b } = operandsOf(device, "f16", "nt", { m, n, k });
      kernels.add(matmulKernel(a, b, { plan, dynamicM: true }).kernel);
      expect(await distance(matmul(a, b, { plan, dynamicM: true }), a, b)).toBeLessThan(1);
    }
    expect(kernels.size).toBe(1);
  });

  it("that serves few rows refuses more", () => {
    const [few, more] = [5, 12].map((m) => operandsOf(device, "f16", "nt", { m, n, k })) as [Operands, Operands];
    const { kernel } = matmulKernel(few.a, few.b, { dynamicM: true });
    const { args } = matmulKernel(more.a, more.b, { dynamicM: true });
    expect(() => kernel.launch({}, ...args)).toThrow(/^W7665 .* up to 8 rows of a, and the launch has 12/);
  });

  const turned = (["tn", "nn"] as const satisfies readonly Layout[]).flatMap((layout) => [
    { layout, rows: [72, 8], others: [3, 136] },
    { layout, rows: [8, 136], others: [136, 16] },
  ]);
  it.each(some(turned, 0))("is compiled once, also for $layout, rows $rows, and $others that TMA cannot store", async (by) => {
    const { layout, rows, others } = by;
    const { epilogue, traced } = counting();
    for (const m of rows) {
      const { a, b } = operandsOf(device, "bf16", layout, { m, n: 40, k });
      expect(await distance(matmul(a, b, { plan: smallPlan, dynamicM: true, epilogue }), a, b)).toBeLessThan(1);
    }
    const once = traced();
    for (const m of others) {
      const { a, b } = operandsOf(device, "bf16", "nn", { m, n: 41, k });
      expect(await distance(matmul(a, b, { plan: smallPlan, dynamicM: true, epilogue }), a, b)).toBeLessThan(1);
    }
    expect(once).toBe(1);
    expect(traced()).toBe(2);
  });

  it.each(some(["in turns", "small"], 0))(
    "with what an epilogue reads of rows, columns and elements, and beta: %s",
    async (name) => {
      const sum = helper(
        (
          value: number,
          { bias, scale, residual }: { readonly bias: number; readonly scale: number; readonly residual: number },
        ) => value * scale + bias + residual,
      );
      for (const m of some([136, 24], 1)) {
        const { a, b } = operandsOf(device, "f16", "nt", { m, n, k });
        const [bias, scale, before] = [randn(n, 3), randn(m, 4), randn(m * n, 5)];
        const inputs = {
          bias: device.tensor("f32", [n], bias),
          scale: device.tensor("f32", [m, 1], scale),
          residual: rowsOf(device, "f16", m, n, 6),
        };
        const residual = await inputs.residual.read();
        const out = device.tensor("f32", [m, n], before);
        matmul(a, b, { out, beta: 2, inputs, epilogue: sum, plan: plans[name] ?? smallPlan, dynamicM: true });
        const at = (x: ArrayLike<number>, i: number): number => x[i] ?? Number.NaN;
        const finish = (value: number, row: number, col: number) =>
          (value + 2 * at(before, row * n + col)) * at(scale, row) + at(bias, col) + at(residual, row * n + col);
        expect((await distance(out, a, b, finish)) / 8).toBeLessThan(1);
      }
    },
  );

  it("without a plan: one for all M up to 8, 16, 32 and 64", async () => {
    const { epilogue, traced } = counting();
    for (const m of [1, 8, 3, 5]) {
      const { a, b } = operandsOf(device, "f16", "nt", { m, n: 32, k: 64 });
      expect(await distance(matmul(a, b, { dynamicM: true, epilogue }), a, b)).toBeLessThan(1);
    }
    expect(traced()).toBe(1);
  });
});

describe("rows whose bits do not depend on M", () => {
  /** Few columns and a large K: where plans would split K, and do it by M. */
  const [n, k] = [32, 1024];

  it.each([true, false])("1 to 300 of them, dynamicM: %s", rotating, async (dynamicM) => {
    const { a, b } = operandsOf(device, "bf16", "nt", { m: 300, n, k });
    const bits = async (m: number) => await matmul(a.slice([0, m]), b, { dtype: "f32", invariant: true, dynamicM }).read();
    const known = await bits(129);
    for (const m of [9, 1, 17, 65, 64, 300]) {
      const both = Math.min(m, 129) * n;
      expect((await bits(m)).slice(0, both)).toEqual(known.slice(0, both));
    }
  });

  it("refuse a plan that splits K", () => {
    const { a, b } = operandsOf(device, "bf16", "nt", { m: 8, n, k });
    const plan: Plan = { ...smallPlan, splits: 2 };
    expect(() => matmul(a, b, { plan, invariant: true })).toThrow(/W7613 .*`splits`/);
  });
});
