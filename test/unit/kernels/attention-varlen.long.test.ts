import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Device, type DeviceTensor, f32, helper, openDevice } from "warpsmith";
import { type AttentionPlan, attentionVarlen, attentionVarlenKernel } from "warpsmith/kernels";
import type { Half } from "./attended.ts";
import { type PackedShape, packedDistance, packedOf } from "./packed.ts";

let device: Device;
beforeAll(async () => {
  device = await openDevice("emulator", { check: "strict" });
});
afterAll(() => device.dispose());

/** Small enough for the emulator: tiles of 128 queries, blocks of 32 keys. */
const plan: AttentionPlan = {
  consumers: 2,
  keys: 32,
  stages: 2,
  turns: true,
  overlap: true,
  slack: 8,
  persistent: false,
  group: 1,
};
/** None, one, and those around multiples of a consumer's rows, of a tile's and of a block's keys. */
const lengths = [0, 1, 64, 130, 33, 0];
const small: PackedShape = { heads: 1, kvHeads: 1, d: 64, dv: 64, queries: lengths };

async function check(dtype: Half, of: PackedShape, chosen: AttentionPlan | undefined = plan): Promise<void> {
  const given = packedOf(device, dtype, of);
  const { q, k, v, cuSeqlens, cuSeqlensKeys, total } = given;
  const { causal, window, score } = of;
  const out = device.tensor(dtype, [total, of.heads, of.dv], Array<number>(total * of.heads * of.dv).fill(7) as never);
  const logSumExp = device.tensor("f32", [of.heads, total], Array<number>(total * of.heads).fill(7)) as DeviceTensor<"f32", 2>;
  const options = { cuSeqlens, out, logSumExp, ...(cuSeqlensKeys ? { cuSeqlensKeys } : {}), ...(chosen ? { plan: chosen } : {}) };
  const choices = { ...(causal ? { causal } : {}), ...(window ? { window } : {}), ...(score ? { score: bias } : {}) };
  attentionVarlen(q, k, v, { ...options, ...choices } as never);
  const { output, log, kept } = await packedDistance(given, of, out as DeviceTensor<Half, 3>, logSumExp);
  expect(output).toBeLessThan(dtype === "f16" ? 2e-3 : 1.2e-2);
  expect(log).toBeLessThan(1e-4);
  expect(kept).toBe(true);
}

const bias = helper(
  (score: number, query: number, key: number, head: number, batch: number) => score - 0.01 * f32(batch + head) * f32(query - key),
);

const inJavaScript = (score: number, query: number, key: number, head: number, batch: number) =>
  score - 0.01 * (batch + head) * (query - key);

describe("sequences of any lengths, between rows of NaN that nobody has", () => {
  it.each([
    ["full", { around: 140 }],
    ["causal", { causal: true }],
    ["a window", { window: 20 }],
    ["a causal window", { causal: true, window: 45 }],
  ] as const)("%s", (_, choices) => check("f16", { ...small, ...choices }));

  it("other lengths of keys, none among them", () =>
    check("f16", { ...small, causal: true, queries: [70, 5, 40, 0, 33], keys: [20, 100, 0, 50, 33] }));

  it("heads that share keys, bf16, a function of scores, which is told of places in a sequence", () =>
    check("bf16", { ...small, heads: 4, kvHeads: 2, queries: [90, 3, 65], score: inJavaScript }));

  it.each([
    [96, 96],
    [192, 128],
    [256, 256],
  ])("heads of %d and %d", (d, dv) => check("f16", { ...small, d, dv, causal: true, queries: [70, 35] }));

  it("many of them", () =>
    check("f16", { ...small, queries: Array.from({ length: 37 }, (_, i) => (i * 29) % 41), causal: true }));
});

describe("plans", () => {
  it.each([
    { ...plan, persistent: true, overlap: false, slack: 0 },
    { ...plan, consumers: 1, turns: false, persistent: true },
    { ...plan, consumers: 3, group: 2 },
    undefined,
  ] satisfies (AttentionPlan | undefined)[])("%j", (one) => check("f16", { ...small, heads: 2, kvHeads: 2, causal: true }, one));
});

describe("a launch", () => {
  it("of other sequences is of the same kernel, whose PTX knows neither how many there are nor how long all are", () => {
    const compiled = (queries: readonly number[]) => {
      const { q, k, v, cuSeqlens } = packedOf(device, "f16", { ...small, queries });
      const { kernel, args } = attentionVarlenKernel(q, k, v, { cuSeqlens, causal: true });
      return { kernel, ptx: kernel.compile(...args).ptx };
    };
    const [one, other] = [compiled([10, 20]), compiled([700, 5, 3])];
    expect(other.kernel).toBe(one.kernel);
    expect(other.ptx).toBe(one.ptx);
  });

  it("of begins that are no places reads and writes within what there is", async () => {
    const { q, k, v } = packedOf(device, "f16", { ...small, queries: [100], around: 0 });
    const cuSeqlens = device.tensor("i32", [5], [-50, 40, 40, 90, 100000]) as DeviceTensor<"i32", 1>;
    const out = attentionVarlen(q, k, v, { cuSeqlens, plan });
    expect((await out.read()).length).toBe(100 * 64);
  });

  it("into memory of the author's is prepared once", () => {
    const { q, k, v, cuSeqlens } = packedOf(device, "f16", small);
    const out = device.empty("f16", q.shape) as typeof q;
    const { args } = attentionVarlenKernel(q, k, v, { cuSeqlens, out } as never);
    expect(attentionVarlenKernel(q, k, v, { cuSeqlens, out } as never).args).toBe(args);
    expect(attentionVarlenKernel(q, k, v, { cuSeqlens, out, causal: true } as never).args).not.toBe(args);
  });
});
