import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Device, helper, openDevice } from "warpsmith";
import { matmul, type Plan } from "warpsmith/kernels";
import { randn } from "warpsmith/testing";
import { changedBeside, partOf } from "./parts.ts";
import { distance, operandsOf, rowsOf, smallPlan } from "./products.ts";

let device: Device;
beforeAll(async () => {
  device = await openDevice("emulator", { check: "strict" });
});
afterAll(() => device.dispose());

const small: Plan = { ...smallPlan, stores: "warp" };
const together: Plan = { ...smallPlan, tile: [128, 144], consumers: 2, wait: 1, leftFirst: 1 };
const plans: Readonly<Record<string, Plan>> = {
  small,
  together,
  tall: { ...smallPlan, tile: [256, 48], consumers: 2, wait: 1 },
  "in turns": { ...smallPlan, tile: [64, 176], consumers: 2, schedule: "pingpong", wait: 1 },
  halves: { ...smallPlan, tile: [128, 64], splitTail: true, blocks: 3 },
  parts: { ...smallPlan, splits: 2, stores: "warp" },
};

describe("rows of a result that TMA cannot store", () => {
  it.each(
    Object.keys(plans).flatMap((name, i) =>
      (["f16", "bf16", "f32"] as const).flatMap((dtype, j) =>
        (
          [
            [1, 0],
            [2, 1],
            [3, 3],
            [4, 2],
            [5, 7],
          ] as const
        )
          .filter((_, k) => (i + j + k) % 2 === 0)
          .map(([more, begin]) => [name, dtype, more, begin] as const),
      ),
    ),
  )("%s, %s, rows %i longer, from %i on", async (name, dtype, more, begin) => {
    const plan = plans[name] ?? small;
    const [m, n, k] = [plan.tile[0] + 37, plan.tile[1] * 2 - 27 + more, 72];
    const { a, b } = operandsOf(device, dtype === "bf16" ? "bf16" : "f16", "nt", { m, n, k });
    const pitch = Math.ceil((n + begin) / 8) * 8 + more;
    const { memory, part } = partOf(device, dtype, [m, n], { pitch, begin });
    matmul(a, b, { out: part, plan });
    expect(await distance(part, a, b)).toBeLessThan(1);
    expect(await changedBeside(memory, n, begin)).toBe(0);
  });

  it.each([1, 7, 9, 16, 129])("with %i columns", async (n) => {
    for (const dtype of ["f16", "f32"] as const) {
      const { a, b } = operandsOf(device, "f16", "nt", { m: 70, n, k: 40 });
      for (const [pitch, begin] of [
        [n, 0],
        [n + 3, 1],
        [n + 6, 5],
      ] as const) {
        const { memory, part } = partOf(device, dtype, [70, n], { pitch: Math.max(pitch, n + begin), begin });
        matmul(a, b, { out: part, plan: { ...small, tile: [64, 128] } });
        expect(await distance(part, a, b), `${dtype} ${pitch} ${begin}`).toBeLessThan(1);
        expect(await changedBeside(memory, n, begin)).toBe(0);
      }
    }
  });

  it("where an epilogue reads columns, rows, a residual by the pipeline, and the result itself", async () => {
    const [m, n, k] = [150, 131, 72];
    const given = { c: randn(n, 3), r: randn(m, 4), x: randn(m * n, 5), before: randn(m * n, 6) };
    const fn = helper(
      (
        value: number,
        { c, r, x, before }: { readonly c: number; readonly r: number; readonly x: number; readonly before: number },
      ) => Math.max(value + c, 0) * r + x + before,
    );
    for (const plan of [small, { ...together, stages: 4 }, plans["in turns"] ?? small]) {
      const { a, b } = operandsOf(device, "f16", "nt", { m, n, k });
      const x = rowsOf(device, "f16", m, n, 5);
      const out = device.tensor("f16", [m, n], given.before);
      const [xs, before] = [await x.read(), await out.read()];
      const c = device.tensor("f32", [n], given.c);
      const r = device.tensor("f32", [m, 1], given.r);
      matmul(a, b, { out, plan, inputs: { c, r, x, before: out }, epilogue: fn });
      const finish = (value: number, row: number, col: number) =>
        Math.max(value + (given.c[col] ?? 0), 0) * (given.r[row] ?? 0) + (xs[row * n + col] ?? 0) + (before[row * n + col] ?? 0);
      expect((await distance(out, a, b, finish)) / 8).toBeLessThan(1); // r also grows what the sum is off
    }
  });

  it("that TMA could store, were they not read by threads: alpha a @ b + beta out of f32", async () => {
    const [m, n, k] = [100, 80, 72];
    const { a, b } = operandsOf(device, "f16", "nt", { m, n, k });
    const out = device.tensor("f32", [m, n], randn(m * n, 6));
    const before = await out.read();
    matmul(a, b, { out, alpha: 0.5, beta: -2 });
    const finish = (value: number, row: number, col: number) => 0.5 * value - 2 * (before[row * n + col] ?? 0);
    expect(await distance(out, a, b, finish)).toBeLessThan(1);
  });
});
