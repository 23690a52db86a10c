import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Device, f32, helper, openDevice } from "warpsmith";
import { type AttentionPlan, attention, attentionKernel } from "warpsmith/kernels";
import { type Choices, distance, type Half, type Order, operandsOf, type Shape } from "./attended.ts";

let device: Device;
beforeAll(async () => {
  device = await openDevice("emulator", { check: "strict" });
});
afterAll(() => device.dispose());

/** Small enough for the emulator: blocks of 32 keys. */
const plan: AttentionPlan = {
  consumers: 2,
  keys: 32,
  stages: 2,
  turns: true,
  overlap: true,
  slack: 8,
  persistent: true,
  group: 1,
};
const small: Shape = { batches: 1, heads: 1, kvHeads: 1, queries: 100, keys: 100, d: 64, dv: 64 };

/** Half an ulp of what an output or a weight may be, and some. */
const near = (dtype: Half): number => (dtype === "f16" ? 2e-3 : 1.2e-2);

async function check(
  dtype: Half,
  of: Shape,
  choices: Choices,
  plan: AttentionPlan | undefined,
  order: Order = "heads",
): Promise<void> {
  const operands = operandsOf(device, dtype, of, order);
  const logSumExp = device.empty("f32", [of.batches, of.heads, of.queries]);
  const out = attention(operands.q, operands.k, operands.v, { ...choices, ...(plan ? { plan } : {}), logSumExp });
  expect(out.shape).toEqual([of.batches, of.heads, of.queries, of.dv]);
  const { output, log } = await distance(out, logSumExp, operands, of, choices);
  expect(output).toBeLessThan(near(dtype));
  expect(log).toBeLessThan(1e-4);
}

describe("masks and lengths", () => {
  const choices: Readonly<Record<string, Choices>> = {
    full: {},
    causal: { causal: true },
    "a window": { window: 20 },
    "a causal window": { causal: true, window: 45 },
    "a window of one": { causal: true, window: 1 },
  };
  const lengths: readonly (readonly [queries: number, keys: number])[] = [
    [100, 100],
    [128, 128],
    [40, 200],
    [200, 40],
    [1, 1],
  ];
  it.each(Object.keys(choices).flatMap((name) => lengths.map(([queries, keys]) => [name, queries, keys] as const)))(
    "%s: %d queries, %d keys",
    async (name, queries, keys) => {
      await check("f16", { ...small, queries, keys }, choices[name] ?? {}, plan);
    },
  );
});

describe("heads", () => {
  it.each([
    [64, 64],
    [96, 96],
    [128, 128],
    [192, 128],
    [256, 256],
  ])("of %d elements, values of %d, f16 and bf16", async (d, dv) => {
    for (const dtype of ["f16", "bf16"] as const) await check(dtype, { ...small, d, dv }, { causal: true }, plan);
  });

  it.each(["heads", "sequence"] as const)("that share keys and values, and batches, in memory by %s", async (order) => {
    const of = { ...small, batches: 2, heads: 4, kvHeads: 2, queries: 70, keys: 70 };
    for (const group of [1, 3]) await check("f16", of, { causal: true }, { ...plan, group }, order);
  });
});

describe("plans", () => {
  const plans: Readonly<Record<string, AttentionPlan>> = {
    "one consumer": { ...plan, consumers: 1, turns: false },
    "three consumers": { ...plan, consumers: 3 },
    "four consumers": { ...plan, consumers: 4 },
    "no turns": { ...plan, turns: false },
    "no slack": { ...plan, slack: 0 },
    "no overlap": { ...plan, overlap: false },
    "no overlap, one stage": { ...plan, overlap: false, stages: 1, turns: false },
    "a block for each tile": { ...plan, persistent: false },
    "three stages of 48 keys": { ...plan, keys: 48, stages: 3 },
  };
  it.each(Object.keys(plans))("%s", async (name) => {
    const of = { ...small, heads: 2, kvHeads: 2, queries: 300, keys: 150 };
    for (const causal of [false, true]) await check("f16", of, { causal }, plans[name]);
  });

  it("none", async () => {
    for (const causal of [false, true]) await check("f16", { ...small, queries: 140, keys: 300 }, { causal }, undefined);
  });
});

describe("scores", () => {
  const bias = helper((score: number, query: number, key: number, head: number, batch: number) =>
    key % 7 === 3 ? -Infinity : score + 0.01 * f32(key - query) + f32(head - 2 * batch),
  );
  it("are what the author's function makes of them", async () => {
    const of = { ...small, batches: 2, heads: 2 };
    for (const choices of [{ score: bias }, { score: bias, causal: true, scale: 0.3 }]) {
      const operands = operandsOf(device, "f16", of);
      const logSumExp = device.empty("f32", [2, 2, 100]);
      const out = attention(operands.q, operands.k, operands.v, { ...choices, plan, logSumExp });
      const inJavaScript = (s: number, q: number, k: number, h: number, b: number) =>
        k % 7 === 3 ? Number.NEGATIVE_INFINITY : s + 0.01 * (k - q) + h - 2 * b;
      const { output, log } = await distance(out, logSumExp, operands, of, { ...choices, score: inJavaScript });
      expect(output).toBeLessThan(near("f16"));
      expect(log).toBeLessThan(1e-4);
    }
  });

  it("may be large: what is taken off is the largest", async () => {
    for (const slack of [0, 8]) await check("f16", small, { scale: 8 }, { ...plan, slack });
  });
});

describe("the result", () => {
  it("goes to the memory given, which may be the queries' own, and nothing beside it is touched", async () => {
    const operands = operandsOf(device, "f16", small);
    const wide = device.zeros("f16", [1, 1, 100, 128]);
    const out = wide.slice(undefined, undefined, undefined, [64, 128]) as typeof wide;
    expect(attention(operands.q, operands.k, operands.v, { out, plan })).toBe(out);
    expect((await distance(out, undefined, operands, small)).output).toBeLessThan(near("f16"));
    const beside = wide.slice(undefined, undefined, undefined, [0, 64]);
    expect(Array.from((await beside.read()) as ArrayLike<number>).every((x) => x === 0)).toBe(true);
    const before = device.tensor("f16", [1, 1, 100, 64], await operands.q.read());
    attention(operands.q, operands.k, operands.v, { out: operands.q, plan });
    expect((await distance(operands.q, undefined, { ...operands, q: before }, small)).output).toBeLessThan(near("f16"));
  });

  it("is the same when it is asked for again", async () => {
    const operands = operandsOf(device, "f16", small);
    const out = device.empty("f16", [1, 1, 100, 64]);
    const results: string[] = [];
    for (let i = 0; i < 3; i++) {
      out.fill(0);
      attention(operands.q, operands.k, operands.v, { out, plan, overlapPrevious: i === 2 });
      results.push(String(await out.read()));
    }
    expect(new Set(results).size).toBe(1);
  });

  it("is not computed by attentionKernel, which gives what would be launched", async () => {
    const { q, k, v } = operandsOf(device, "f16", small);
    const { kernel, args, grid, out } = attentionKernel(q, k, v, { plan });
    expect(grid).toBe(1);
    kernel.launch({ grid }, ...args);
    expect((await distance(out, undefined, { q, k, v }, small)).output).toBeLessThan(near("f16"));
  });
});
