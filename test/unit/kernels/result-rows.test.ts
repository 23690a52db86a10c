import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Device, helper, openDevice } from "warpsmith";
import { matmul, type Plan } from "warpsmith/kernels";
import { randn } from "warpsmith/testing";
import { rotating, some } from "../../support/amount.ts";
import { changedBeside, partOf, type ResultType } from "./parts.ts";
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

/** How much longer rows are than what they hold, and where they begin. */
const places = [
  [1, 0],
  [2, 1],
  [3, 3],
  [4, 2],
  [5, 7],
] as const;
const ways = Object.keys(plans).flatMap((name, i) =>
  (["f16", "bf16", "f32"] as const).flatMap((dtype, j) =>
    places.filter((_, k) => (i + j + k) % 2 === 0).map(([more, begin]) => [name, dtype, more, begin] as const),
  ),
);
const isFirst = ([name, dtype, more]: (typeof ways)[number]): boolean => name === "small" && dtype === "f16" && more === 3;

describe("rows of a result that TMA cannot store", () => {
  const isRight = async (name: string, dtype: ResultType, more: number, begin: number) => {
    const plan = plans[name] ?? small;
    const [m, n, k] = [plan.tile[0] + 37, plan.tile[1] * 2 - 27 + more, 72];
    const { a, b } = operandsOf(device, dtype === "bf16" ? "bf16" : "f16", "nt", { m, n, k });
    const pitch = Math.ceil((n + begin) / 8) * 8 + more;
    const { memory, part } = partOf(device, dtype, [m, n], { pitch, begin });
    matmul(a, b, { out: part, plan });
    expect(await distance(part, a, b)).toBeLessThan(1);
    expect(await changedBeside(memory, n, begin)).toBe(0);
  };
  it.each(ways.filter(isFirst))("%s, %s, rows %i longer, from %i on", isRight);
  it.each(ways.filter((way) => !isFirst(way)))("%s, %s, rows %i longer, from %i on", rotating, isRight);

  const few = [1, 7, 9, 16, 129].flatMap((n) =>
    (["f16", "f32"] as const).flatMap((dtype) => [0, 3, 6].map((more) => [n, dtype, more] as const)),
  );
  it.each(some(few, 0))("with %i columns, of %s, in rows %i longer", async (n, dtype, more) => {
    const begin = { 0: 0, 3: 1, 6: 5 }[more] ?? 0;
    const { a, b } = operandsOf(device, "f16", "nt", { m: 70, n, k: 40 });
    const { memory, part } = partOf(device, dtype, [70, n], { pitch: n + more, begin });
    matmul(a, b, { out: part, plan: { ...small, tile: [64, 128] } });
    expect(await distance(part, a, b)).toBeLessThan(1);
    expect(await changedBeside(memory, n, begin)).toBe(0);
  });

  const reading = { "in turns": plans["in turns"] ?? small, small, together: { ...together, stages: 4 } } as const;
  it.each(some(Object.keys(reading) as (keyof typeof reading)[], 0))(
    "where an epilogue reads columns, rows, a residual by the pipeline, and the result itself: %s",
    async (name) => {
      const [m, n, k] = [70, 131, 40];
      const given = { c: randn(n, 3), r: randn(m, 4), x: randn(m * n, 5), before: randn(m * n, 6) };
      const fn = helper(
        (
          value: number,
          { c, r, x, before }: { readonly c: number; readonly r: number; readonly x: number; readonly before: number },
        ) => Math.max(value + c, 0) * r + x + before,
      );
      const { a, b } = operandsOf(device, "f16", "nt", { m, n, k });
      const x = rowsOf(device, "f16", m, n, 5);
      const out = device.tensor("f16", [m, n], given.before);
      const [xs, before] = [await x.read(), await out.read()];
      const c = device.tensor("f32", [n], given.c);
      const r = device.tensor("f32", [m, 1], given.r);
      matmul(a, b, { out, plan: reading[name], inputs: { c, r, x, before: out }, epilogue: fn });
      const finish = (value: number, row: number, col: number) =>
        Math.max(value + (given.c[col] ?? 0), 0) * (given.r[row] ?? 0) + (xs[row * n + col] ?? 0) + (before[row * n + col] ?? 0);
      expect((await distance(out, a, b, finish)) / 8).toBeLessThan(1); // r also grows what the sum is off
    },
  );

  it("that TMA could store, were they not read by threads: alpha a @ b + beta out of f32", rotating, async () => {
    const [m, n, k] = [100, 80, 72];
    const { a, b } = operandsOf(device, "f16", "nt", { m, n, k });
    const out = device.tensor("f32", [m, n], randn(m * n, 6));
    const before = await out.read();
    matmul(a, b, { out, alpha: 0.5, beta: -2 });
    const finish = (value: number, row: number, col: number) => 0.5 * value - 2 * (before[row * n + col] ?? 0);
    expect(await distance(out, a, b, finish)).toBeLessThan(1);
  });
});
