import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Device, openDevice } from "warpsmith";
import { Checker, compareRows, makeOperands } from "../../bench/check.ts";
import { ours } from "../../bench/contenders.ts";
import type { Problem } from "../../bench/problem.ts";

let device: Device;
beforeAll(async () => {
  device = await openDevice("emulator", { check: "strict" });
});
afterAll(() => device.dispose());

const problemOf = (over: Partial<Problem> = {}): Problem => ({
  ...{ dtype: "f16", layout: "nt", m: 20, n: 136, k: 24, work: "product", group: "odd" },
  ...over,
});

/** The result as the host computes it, in f64. */
async function compute({ m, n, k, work }: Problem, operands: Awaited<ReturnType<typeof makeOperands>>): Promise<Float64Array> {
  const [a, b] = [Array.from(await operands.a.read(), Number), Array.from(await operands.b.read(), Number)];
  const [bias, residual] = [await operands.wideBias.read(), Array.from(await operands.residual.read(), Number)];
  return Float64Array.from({ length: m * n }, (_, i) => {
    const [row, column] = [Math.floor(i / n), i % n];
    let sum = 0;
    for (let l = 0; l < k; l++) sum += a[row * k + l] * b[l * n + column];
    if (work === "product") return sum;
    return Math.max(sum + bias[column], 0) + (work === "relu-bias-residual" ? residual[i] : 0);
  });
}

describe("checking", () => {
  it("makes inputs of N(0, 1), the same each time", async () => {
    using x = await makeOperands(device, problemOf({ m: 96, k: 96 }));
    using y = await makeOperands(device, problemOf({ m: 96, k: 96 }));
    const a = Array.from(await x.a.read(), Number);
    const moment = (power: number) => a.reduce((sum, value) => sum + value ** power, 0) / a.length;
    expect(Math.abs(moment(1))).toBeLessThan(0.04);
    expect(Math.abs(moment(2) - 1)).toBeLessThan(0.06);
    expect(Math.abs(moment(3))).toBeLessThan(0.15);
    expect(Math.abs(moment(4) - 3)).toBeLessThan(0.4);
    expect(Array.from(await y.a.read(), Number)).toEqual(a);
    expect(Array.from(await x.b.read(), Number).slice(0, 96)).not.toEqual(a.slice(0, 96));
  });

  it.each([
    problemOf(),
    problemOf({ layout: "nn", dtype: "bf16" }),
    problemOf({ layout: "tt", work: "relu-bias" }),
    problemOf({ layout: "tn", work: "relu-bias-residual" }),
  ])("passes what is right and nothing else: $dtype $layout $work", async (problem) => {
    using operands = await makeOperands(device, problem);
    using checker = new Checker(device, problem, operands);
    const right = await compute(problem, operands);
    const check = (result: ArrayLike<number>) => checker.rows(() => operands.out.write(result), problem.work);
    expect(await check(right)).toMatchObject({ pass: true, misses: 0 });
    operands.expected.write(right);
    expect((await checker.whole()).misses).toBe(0);

    const last = right.length - 1;
    expect(await check(right.with(last, right[last] + 1))).toMatchObject({ pass: false, misses: 1 });
    expect((await checker.whole()).misses).toBe(1);
    expect(await check(right.with(0, Number.NaN))).toMatchObject({ pass: false, misses: 1, maxAbs: Number.NaN });
    expect(await checker.whole()).toEqual({ misses: 1, maxAbs: Number.NaN });
    // Every element a little off: none is a miss, but all together are.
    expect((await check(right.map((x) => x * (1 + 2 ** (problem.dtype === "f16" ? -10.3 : -7.2))))).pass).toBe(false);
    // Nothing written.
    expect(await checker.rows(() => {}, problem.work)).toMatchObject({ pass: false });
  });

  it.each([
    problemOf({ m: 130, n: 136, k: 72 }),
    problemOf({ m: 130, n: 136, k: 72, layout: "nn", dtype: "bf16", work: "relu-bias-residual" }),
  ])(
    "passes matmul: $dtype $layout $work",
    async (problem) => {
      using operands = await makeOperands(device, problem);
      using checker = new Checker(device, problem, operands);
      using stream = device.stream();
      expect(await checker.rows(await ours(problem, operands, stream), problem.work)).toMatchObject({
        pass: true,
        rows: 132,
        misses: 0,
      });
    },
    60_000,
  );

  it("does not pass zeros against zeros", () => {
    expect(compareRows([0, 0], [0, 0], 1e-3, 1e-3).relative).toBeNaN();
  });
});
